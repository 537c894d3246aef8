import Testing

@testable import FilmReel

@Suite struct ProcessFiguresTests {
    private let status = """
        Name:\tfilm-reel
        VmRSS:\t   30000 kB
        RssAnon:\t    1000 kB
        RssFile:\t   28500 kB
        RssShmem:\t     500 kB
        """
    private let rollup = """
        55f0-7ffd ---p 00000000 00:00 0    [rollup]
        Rss:               30000 kB
        Pss_Anon:            900 kB
        Pss_File:           7000 kB
        Pss_Shmem:           250 kB
        LazyFree:             20 kB
        """

    @Test func kernelFiguresAreParsed() throws {
        let figures = try #require(ProcessFigures(status: status, rollup: rollup))
        #expect(figures.dirty == 1500 * 1024 && ProcessFigures.dirtySize(status: status) == figures.dirty)
        #expect(figures.clean == 7000 * 1024)
        #expect(figures.lazilyFreed == 20 * 1024)
    }

    @Test func parsingFailsIfAFigureIsMissing() {
        func removing(_ name: String, from text: String) -> String {
            text.split(separator: "\n").filter { !$0.contains(name) }.joined(separator: "\n")
        }
        for name in ["RssAnon", "RssShmem", "Pss_File", "LazyFree"] {
            let status = removing(name, from: status), rollup = removing(name, from: rollup)
            #expect(ProcessFigures(status: status, rollup: rollup) == nil)
        }
    }

    @Test func figuresGrowWithAllocatedMemory() throws {
        let figuresBefore = try #require(ProcessFigures.current)
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 20, alignment: 4096)
        defer { memory.deallocate() }
        memory.initializeMemory(as: UInt8.self, repeating: 1)
        let figuresAfter = try #require(ProcessFigures.current)
        #expect(figuresAfter.dirty - figuresBefore.dirty > 60 << 20)
    }
}
