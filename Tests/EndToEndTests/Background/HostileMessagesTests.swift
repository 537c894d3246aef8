import BackgroundProtocol
import BackgroundProtocolSamples
import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing
import WireFormat

/// A flood of messages that are almost valid, programs of another user, and too long requests, with the real processes.
@Suite struct HostileMessagesTests {
    private let fixture: BackgroundFixture

    init() throws { fixture = try BackgroundFixture() }

    /// The number of messages of a flood; a million if the environment variable `SWIFTPLAY_LONG_TESTS` is set.
    private static let floodLength = getenv("SWIFTPLAY_LONG_TESTS") == nil ? 6000 : 1_000_000

    /// The messages that are sent as they are and changed: all kinds, and file names that lead out of the directory.
    private func samples(_ generator: inout SeededGenerator) throws -> [[UInt8]] {
        var commands = ClientMessageSamples.commands
        for name in ["../escaped", "..", fixture.scratch.file("escaped"), "a/../../escaped"] {
            var request = ClientMessageSamples.request
            request.uuid = (0..<16).map { _ in .random(in: 0...255, using: &generator) }
            request.fileName = name
            commands += [.create(session: 1, request), .resume(task: 1)]
        }
        return try commands.map { try ClientRequest(2, $0).encoded() }
    }

    /// Changes one to three bits of a message, or its length.
    private func change(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: bytes.removeLast(Int.random(in: 1..<bytes.count, using: &generator))
        case 1: bytes.append(.random(in: 0...255, using: &generator))
        default:
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let bit = Int.random(in: 0..<bytes.count * 8, using: &generator)
                bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            }
        }
        return bytes
    }

    /// Fails with the reason if this user may not start programs without a network, or as another user.
    private func requireRoot() throws {
        guard geteuid() == 0 else { throw TestFailure("this test needs root, to start programs as another user") }
    }

    /// Lets the engine reach no network: a changed address may be that of a foreign host.
    private func disconnectEngine() throws {
        let script = fixture.scratch.file("engine")
        let text = "#!/bin/sh\nexec unshare -n \(try Products.path("swiftplay-transfer")) \"$@\"\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: script))
        chmod(script, 0o700)
        fixture.transferProgram = script
    }

    @Test("a flood of changed messages ends only its own connections, and another program is served meanwhile")
    func aFloodOfChangedMessagesDisturbsNoOtherProgram() throws {
        try requireRoot()
        try disconnectEngine()
        _ = try fixture.listing()
        let ledger = try #require(fixture.ledgerProcess)
        var generator = SeededGenerator.printingSeed()
        let samples = try samples(&generator), directory = try DirectoryDescriptor(opening: fixture.folder)
        let hostile = try ServiceClient(fixture), other = try ServiceClient(fixture)
        #expect(try hostile.attach() == 1)
        try other.hello("other")
        // Beyond these numbers, the service reads ten messages a second of the program.
        var creations = 0, pushes = 0, malformed = 0
        for number in 0..<Self.floodLength {
            let bytes = change(try #require(samples.randomElement(using: &generator)), &generator)
            do throws(MalformedMessage) {
                let command = try ClientRequest(decoding: bytes).command
                if case .create = command { creations += 1 }
                if case .push = command { pushes += 1 }
                if case .create = command, creations > 50 { continue }
                if case .push = command, pushes > 300 { continue }
                let descriptors = [Int32](repeating: directory.raw, count: command.descriptorCount)
                try? hostile.socket.send(bytes, descriptors: descriptors)
            } catch {
                malformed += 1
                let client = try ServiceClient(fixture)
                try client.socket.send(bytes)
                #expect(try client.next() == nil)
            }
            guard number % 20 == 0 else { continue }
            try hostile.synchronize(UInt64(10_000_000 + number))
            try other.synchronize(UInt64(10_000_000 + number), .list(session: nil))
        }
        #expect(malformed > 1000 && creations > 50)
        #expect(try fixture.listing().contains("client"))
        #expect(fixture.ledgerProcess == ledger)
        let names = try FileManager.default.contentsOfDirectory(atPath: fixture.scratch.path)
        #expect(Set(names).isSubset(of: ["data", "downloads", "engine"]), "\(names)")
    }

    @Test("a program of another user is disconnected without an answer, even if it can open the socket")
    func aProgramOfAnotherUserIsDisconnected() throws {
        try requireRoot()
        _ = try fixture.listing()
        let folder = fixture.runtime.path + "/swiftplay"
        #expect(chmod(folder, 0o711) == 0 && chmod(folder + "/background.sock", 0o666) == 0)
        let hello = try ClientRequest(1, .hello(newest: 1, oldest: 1, ProgramDescription(name: "other"))).encoded()
        let script = """
            import os, socket, sys
            os.chdir(sys.argv[1])
            os.setgroups([])
            if sys.argv[2] != "0":
                os.setresuid(*[int(sys.argv[2])] * 3)
            service = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            service.connect("background.sock")
            try:
                service.send(bytes.fromhex(sys.argv[3]))
                print(len(service.recv(1000)))
            except (BrokenPipeError, ConnectionResetError):
                print(0)
            """
        func answerLength(userID: Int) throws -> Int? {
            let text = hello.map { String(format: "%02x", $0) }.joined()
            let output = try run("python3", ["-c", script, folder, "\(userID)", text])
            return Int(output.prefix { $0 != "\n" })
        }
        #expect(try answerLength(userID: 65534) == 0)
        #expect(try answerLength(userID: 0) ?? 0 > 0)
        #expect(chmod(folder, 0o700) == 0)
        #expect(try fixture.listing() == "no transfers\n")
    }

    @Test func tooManyHeaderFieldsAreRefused() throws {
        let fields = (0..<100).flatMap { ["--header", "Name-\($0): " + String(repeating: "x", count: 690)] }
        let command = try fixture.download(["https://example.invalid/film.mkv"], fields + ["--no-wait"])
        #expect(try command.waitForExit(within: .seconds(20)).reason == .exited(1))
        #expect(command.errors.text == "swiftplay: the header fields have more than 40000 bytes\n")
        #expect(try fixture.listing() == "no transfers\n")
        // A program without the library is disconnected.
        let client = try ServiceClient(fixture)
        let session = try client.attach()
        let request = ServiceClient.request("https://example.invalid/film.mkv")
        let message = try ClientRequest(2, .create(session: session, request)).encoded()
        try client.socket.send(message + [UInt8](repeating: 0, count: 70 << 10))
        #expect(try client.next() == nil)
        #expect(try fixture.listing() == "no transfers\n")
    }
}
