import Foundation
import Glibc
import TestSupport
import Testing

import class VideoOutput.XConnection

@testable import VideoOutput

@Suite struct XAuthorityTests {
    /// The authorisation data (cookie) of an entry in the authority file.
    private static let cookie = (0..<16).map { UInt8($0 * 7 + 1) }

    /// Returns an entry of an X authority file in the format of xauth(1).
    private static func entry(
        _ family: UInt16, _ address: String, _ number: String, _ name: String = "MIT-MAGIC-COOKIE-1",
        _ data: [UInt8] = cookie
    ) -> [UInt8] {
        func field(_ bytes: [UInt8]) -> [UInt8] { [UInt8(bytes.count >> 8), UInt8(bytes.count & 255)] + bytes }
        return [UInt8(family >> 8), UInt8(family & 255)] + field(Array(address.utf8)) + field(Array(number.utf8))
            + field(Array(name.utf8))
            + field(data)
    }

    /// Returns the path of a temporary authority file.
    private func authorityFilePath(_ name: String = UUID().uuidString) -> String {
        NSTemporaryDirectory() + "/authority-" + name
    }

    @Test func cookieOfAnXDisplayIsFound() {
        let host = String(decoding: XAuthority.hostName, as: UTF8.self)
        let authority = XAuthority(
            parsing: (Self.entry(256, host, "7", "XDM-AUTHORIZATION-1")
                + Self.entry(256, "elsewhere", "7", "MIT-MAGIC-COOKIE-1", [1])
                + Self.entry(256, host, "8", "MIT-MAGIC-COOKIE-1", [2]) + Self.entry(256, host, "7")
                + Self.entry(65_535, "", "", "MIT-MAGIC-COOKIE-1", [3]))[...])
        #expect(authority.entries.count == 5)
        for name in [":7", "unix:7", "localhost:7.0", "127.0.0.1:7"] {
            #expect(authority.cookie(for: XAuthority.servers(of: name)) == Self.cookie, "\(name)")
        }
        #expect(authority.cookie(for: XAuthority.servers(of: ":8")) == [2])
        #expect(
            authority.cookie(for: XAuthority.servers(of: ":9")) == [3],
            "an entry without a number matches all displays")
        #expect(authority.cookie(for: XAuthority.servers(of: "no display")) == nil)
        let remoteAuthority = XAuthority(parsing: Self.entry(0, "\u{A}\u{1}\u{2}\u{3}", "0")[...])
        #expect(remoteAuthority.cookie(for: XAuthority.servers(of: "10.1.2.3:0")) == Self.cookie)
        #expect(remoteAuthority.cookie(for: XAuthority.servers(of: "10.1.2.4:0")) == nil)
    }

    @Test func truncatedEntriesAreIgnored() {
        let bytes = Self.entry(256, "here", "0"), twoEntries = bytes + bytes
        for count in twoEntries.indices {
            #expect(XAuthority(parsing: twoEntries[..<count]).entries.count == count / bytes.count, "\(count)")
        }
    }

    @Test func otherFilesThanSmallRegularFilesAreRefusedWithoutBlocking() throws {
        let fifoPath = authorityFilePath(), largeFilePath = authorityFilePath()
        #expect(mkfifo(fifoPath, 0o600) == 0)
        #expect(FileManager.default.createFile(atPath: largeFilePath, contents: Data(count: XAuthority.byteLimit + 1)))
        defer { for file in [fifoPath, largeFilePath] { unlink(file) } }
        for file in [fifoPath, largeFilePath, NSTemporaryDirectory(), "/dev/zero", authorityFilePath()] {
            #expect(throws: (any Error).self, "\(file)") { try XAuthority(contentsOf: file) }
        }
    }

    @Test("a connection uses the cookie of the given authority file and leaves the environment unchanged")
    func connectionUsesTheAuthorityFile() throws {
        let validFile = authorityFilePath(), invalidFile = authorityFilePath(), fifoPath = authorityFilePath()
        try Data(Self.entry(65_535, "", "")).write(to: URL(fileURLWithPath: validFile))
        try Data(Self.entry(65_535, "", "", "MIT-MAGIC-COOKIE-1", [UInt8](repeating: 0, count: 16))).write(
            to: URL(fileURLWithPath: invalidFile))
        #expect(mkfifo(fifoPath, 0o600) == 0)
        defer { for file in [validFile, invalidFile, fifoPath] { unlink(file) } }
        let server = try PrivateXServer(["-auth", validFile])
        let valueBefore = getenv("XAUTHORITY").map { String(cString: $0) }
        _ = try XConnection(display: server.name, authority: validFile)
        for file in [invalidFile, fifoPath] {
            #expect(throws: XError.self, "\(file)") { try XConnection(display: server.name, authority: file) }
        }
        #expect(getenv("XAUTHORITY").map { String(cString: $0) } == valueBefore)
    }
}
