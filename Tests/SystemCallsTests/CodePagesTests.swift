import Glibc
import Testing

@testable import SystemCalls

struct CodePagesTests {
    /// Returns the size of the pages of files that are mapped into this process, in kB.
    private func mappedFileMemory() throws -> Int {
        let status = try #require(try ProcessHandle(getpid()).text(of: "status"))
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssFile:") })
        return try #require(Int(line.split(whereSeparator: \.isWhitespace)[1]))
    }

    @Test func unmappedCodeStaysExecutable() throws {
        let memoryBefore = try mappedFileMemory()
        let unmappedSize = CodePages.unmap()
        let memoryAfter = try mappedFileMemory()
        #expect(unmappedSize > 1 << 20)
        #expect(memoryAfter < memoryBefore / 2, "\(memoryBefore) kB before, \(memoryAfter) kB after")
        // The data of the loader, and the code and constants of several libraries, are unchanged.
        #expect(dlsym(nil, "malloc") != nil)
        #expect(strerror(ENOENT).map { String(cString: $0) } == "No such file or directory")
        #expect([3, 1, 2].sorted().map(String.init) == ["1", "2", "3"])
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
