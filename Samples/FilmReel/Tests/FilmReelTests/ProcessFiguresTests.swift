import Testing

@testable import FilmReel

@Suite struct ProcessFiguresTests {
    private let text = """
        55f0-7ffd ---p 00000000 00:00 0    [rollup]
        Rss:               30000 kB
        Pss_Anon:           1000 kB
        Pss_File:           7000 kB
        Pss_Shmem:           500 kB
        LazyFree:             20 kB
        """

    @Test func kernelFiguresAreParsed() throws {
        let figures = try #require(ProcessFigures(parsing: text))
        #expect(figures.dirty == 1500 * 1024)
        #expect(figures.clean == 7000 * 1024)
        #expect(figures.lazilyFreed == 20 * 1024)
    }

    @Test func parsingFailsIfAFigureIsMissing() {
        for name in ["Pss_Anon", "Pss_File", "Pss_Shmem", "LazyFree"] {
            let lines = text.split(separator: "\n").filter { !$0.contains(name) }
            #expect(ProcessFigures(parsing: lines.joined(separator: "\n")) == nil)
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
