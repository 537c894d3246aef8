import Foundation
import Glibc
import TestSupport
import Testing

@testable import SystemCalls

@Suite(.serialized) struct CodePagesTests {
    /// Returns the size of the pages of files that are mapped into this process, in kB.
    private func mappedFileMemory() throws -> Int {
        let status = try #require(try ProcessHandle(getpid()).text(of: "status"))
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssFile:") })
        return try #require(Int(line.split(whereSeparator: \.isWhitespace)[1]))
    }

    /// Maps all pages of the largest code segment of this process, and returns its size in bytes.
    private func mapLargestCodeSegment() throws -> Int {
        // `String(contentsOfFile:)` reads only the first 64 KB of files that report no size.
        let file = try FileHandle(forReadingFrom: URL(filePath: "/proc/self/maps"))
        let maps = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        let segments = maps.split(separator: "\n").filter { $0.contains(" r-xp ") && $0.contains("/") }.compactMap {
            line -> Range<UInt>? in
            let bounds = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt($0, radix: 16) }
            return bounds.count == 2 ? bounds[0]..<bounds[1] : nil
        }
        let largestSegment = try #require(segments.max { $0.count < $1.count })
        let start = UnsafeMutableRawPointer(bitPattern: largestSegment.lowerBound)
        try #require(madvise(start, largestSegment.count, MADV_POPULATE_READ) == 0)
        return largestSegment.count
    }

    @Test func unmappedCodeStaysExecutable() throws {
        let mappedSize = try mapLargestCodeSegment()
        let memoryBefore = try mappedFileMemory()
        let unmappedSize = CodePages.unmap()
        let memoryAfter = try mappedFileMemory()
        #expect(unmappedSize >= mappedSize)
        // The process reads some of the removed pages again at once, so less memory than `mappedSize` becomes free.
        #expect(
            memoryBefore - memoryAfter > mappedSize / 1024 / 2, "\(memoryBefore) kB before, \(memoryAfter) kB after")
        // The data of the loader, and the code and constants of several libraries, are unchanged.
        #expect(dlsym(nil, "malloc") != nil)
        #expect(strerror(ENOENT).map { String(cString: $0) } == "No such file or directory")
        #expect([3, 1, 2].sorted().map(String.init) == ["1", "2", "3"])
    }

    /// Opening a library whose destructors have run would run its constructors again, and GObject's abort the process
    /// then. The process ends with the flushing of a stream, which waits until the other thread has read from a pipe.
    @Test("the process can exit while another thread unmaps code") func exitDuringUnmappingSucceeds() async {
        await #expect(processExitsWith: .success) {
            try #require(dlopen("libgobject-2.0.so.0", RTLD_NOW) != nil)
            CodePages.prepare()
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            let (input, stream) = (ends[0], try #require(fdopen(ends[1], "w")))
            // The size of a pipe: see pipe(7).
            let text = [UInt8](repeating: 0, count: 65_536)
            try #require(write(ends[1], text, text.count) == text.count)
            fputs("waits for space in the pipe", stream)
            let isFinished = Monitor(false)
            let threads = [
                try NamedThread("unmap") {
                    for _ in 0..<500 { CodePages.unmap() }
                    isFinished.update { $0 = true }
                },
                try NamedThread("read") {
                    guard isFinished.wait(until: Deadline.after(.seconds(10)), { $0 ? true : nil }) == true else {
                        _exit(1)
                    }
                    var buffer = text
                    read(input, &buffer, buffer.count)
                },
            ]
            withExtendedLifetime(threads) { exit(0) }
        }
    }

    @Test func repeatedUnmappingKeepsLibrariesUsable() throws {
        let library = try #require(dlopen("libm.so.6", RTLD_NOW))
        defer { dlclose(library) }
        let address = try #require(dlsym(library, "floor"))
        let roundDown = unsafeBitCast(address, to: (@convention(c) (Double) -> Double).self)
        for _ in 0..<20 {
            CodePages.unmap()
            #expect(roundDown(2.5) == 2)
        }
    }
}
