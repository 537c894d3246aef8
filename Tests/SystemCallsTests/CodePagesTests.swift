import Glibc
import Testing

@testable import SystemCalls

struct CodePagesTests {
    /// Returns the pages of files that are mapped into this process, in kB.
    private func mappedFileMemory() throws -> Int {
        let status = try #require(try ProcessHandle(getpid()).text(of: "status"))
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssFile:") })
        return try #require(Int(line.split(whereSeparator: \.isWhitespace)[1]))
    }

    @Test func codeIsUnmappedAndRunsOn() throws {
        let before = try mappedFileMemory()
        let size = CodePages.unmap()
        let after = try mappedFileMemory()
        #expect(size > 1 << 20)
        #expect(after < before / 2, "\(before) kB before, \(after) kB after")
        // The loader's data, code and constants of several libraries are as before.
        #expect(dlsym(nil, "malloc") != nil)
        #expect(strerror(ENOENT).map { String(cString: $0) } == "No such file or directory")
        #expect([3, 1, 2].sorted().map(String.init) == ["1", "2", "3"])
    }

    @Test func repeatedCallsKeepLibrariesUsable() throws {
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
