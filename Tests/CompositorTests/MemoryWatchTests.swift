import Glibc
import Logging
import SystemCalls
import TestSupport
import Testing

@testable import Compositor

@Suite struct MemoryWatchTests {
    @Test("the setting is parsed from the environment variables that systemd defines")
    func settingIsParsedFromEnvironmentVariables() {
        #expect(MemoryWatch.Setting(watch: nil, write: "AAAA") == .none)
        #expect(MemoryWatch.Setting(watch: "", write: nil) == .none)
        #expect(MemoryWatch.Setting(watch: "/dev/null", write: nil) == .off)
        // The Base64 text encodes "some 200000 2000000" and the zero byte that the kernel expects.
        #expect(
            MemoryWatch.Setting(watch: "/a", write: "c29tZSAyMDAwMDAgMjAwMDAwMAA=")
                == .path("/a", writing: Array("some 200000 2000000".utf8) + [0]))
        #expect(MemoryWatch.Setting(watch: "/a", write: nil) == .path("/a", writing: []))
    }

    @Test func base64IsDecoded() {
        for (text, expected) in [
            ("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob"), ("Zm9vYmE=", "fooba"),
        ] {
            #expect(MemoryWatch.Setting.decodeBase64(text) == Array(expected.utf8))
        }
        #expect(MemoryWatch.Setting.decodeBase64("/+8=") == [255, 239])
        for text in ["Z", "Zg", "Zg=", "Zg==Zg==", "Z===", "====", "Zm9v\n", "Zm-_", "ä==="] {
            #expect(MemoryWatch.Setting.decodeBase64(text) == nil, "\(text)")
        }
    }

    private func poll(_ watch: MemoryWatch, timeout: Duration = .seconds(5)) throws -> MemoryWatch.Report {
        var entries = [watch.entry]
        try Poll.wait(&entries, until: Deadline.after(timeout))
        return watch.takeReport(entries[0].ready)
    }

    @Test("data from a pipe is reported as short memory, each time that it arrives")
    func dataFromAPipeIsReported() throws {
        let folder = try TemporaryDirectory(), path = folder.file("watch")
        #expect(mkfifo(path, 0o600) == 0)
        let watch = try MemoryWatch(path: path, writing: [1])
        #expect(watch.takeReport([]) == .nothing)
        for _ in 0..<2 {
            let writer = try FileDescriptor(opening: path, flags: O_WRONLY | O_NONBLOCK)
            let bytes = [UInt8](repeating: 0, count: 10_000)
            #expect(bytes.withUnsafeBytes { write(writer.raw, $0.baseAddress, $0.count) } == 10_000)
            #expect(try poll(watch) == .shortMemory)
            #expect(watch.takeReport([.readable]) == .nothing)
        }
    }

    @Test func endOfASocketIsReported() throws {
        let folder = try TemporaryDirectory(), path = folder.file("watch")
        let listener = FileDescriptor(
            owning: try systemCall("socket") { socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0) })
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        try systemCall("bind") {
            withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(listener.raw, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
        }
        try systemCall("listen") { listen(listener.raw, 1) }
        let watch = try MemoryWatch(path: path, writing: [65, 66])
        do {
            let peer = FileDescriptor(owning: try systemCall("accept") { accept(listener.raw, nil, nil) })
            var received = [UInt8](repeating: 0, count: 8)
            #expect(received.withUnsafeMutableBytes { read(peer.raw, $0.baseAddress, $0.count) } == 2)
            #expect(received.prefix(2) == [65, 66])
            #expect([UInt8(1)].withUnsafeBytes { write(peer.raw, $0.baseAddress, 1) } == 1)
            #expect(try poll(watch) == .shortMemory)
        }
        #expect(try poll(watch) == .lost)
    }

    @Test("the kernel's file of stall times accepts a trigger")
    func fileOfStallTimesIsWatched() throws {
        let watch = try MemoryWatch(
            path: "/proc/pressure/memory", writing: Array("some 150000 2000000".utf8) + [0])
        #expect(watch.entry.interest == .urgent)
        #expect(watch.takeReport([]) == .nothing && watch.takeReport(.failed) == .lost)
    }

    @Test func unwatchablePathThrows() throws {
        #expect(throws: SystemCallError.self) { try MemoryWatch(path: "/nowhere", writing: []) }
        #expect(throws: SystemCallError.self) { try MemoryWatch(path: "/proc/pressure/memory", writing: [1, 2, 3]) }
    }

    @Test("with /dev/null memory pressure is not watched, and a lost source is replaced by polling")
    func sourcesDependOnTheSetting() throws {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let disabledSources = MemoryPressureSources(roots: .init(), watch: .off, logger: logger)
        #expect(disabledSources.isDisabled && !disabledSources.canWake && disabledSources.entries.isEmpty)
        let folder = try TemporaryDirectory(), path = folder.file("watch")
        #expect(mkfifo(path, 0o600) == 0)
        var sources = MemoryPressureSources(roots: .init(), watch: .path(path, writing: []), logger: logger)
        #expect(sources.canWake && sources.entries.count == 1)
        let writer = try FileDescriptor(opening: path, flags: O_WRONLY | O_NONBLOCK)
        #expect([UInt8(1)].withUnsafeBytes { write(writer.raw, $0.baseAddress, 1) } == 1)
        var entries = sources.entries
        try Poll.wait(&entries, until: Deadline.after(.seconds(5)))
        #expect(sources.takeReport(entries[...], now: 0).warning == .warning)
        let sourcesWithoutPath = MemoryPressureSources(
            roots: .init(proc: folder.file("proc")), watch: .path("/nowhere", writing: []), logger: logger)
        #expect(!sourcesWithoutPath.isDisabled && !sourcesWithoutPath.canWake)
    }
}
