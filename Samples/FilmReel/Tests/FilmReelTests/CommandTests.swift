import Testing

@testable import FilmReel

@Suite struct CommandTests {
    @Test func commandLinesAreParsed() throws {
        let show = try Command(arguments: ["films"])
        #expect(show.action == .show && show.folder == "films" && show.tile == PixelSize(width: 300, height: 450))
        let measure = try Command(arguments: ["measure", "--tile", "200x300", "films", "--cache", "here"])
        #expect(measure.action == .measure && measure.folder == "films")
        #expect(measure.tile == PixelSize(width: 200, height: 300) && measure.cacheFolder == "here")
        let step = try Command(arguments: ["measure-step", "mapped-warm", "films"])
        #expect(step.action == .measureStep(.mappedWarm))
    }

    @Test(
        "wrong command lines are refused",
        arguments: [
            [], ["measure"], ["a", "b"], ["films", "--tile"], ["films", "--tile", "0x10"], ["films", "--tile", "300"],
            ["films", "--tile", "300x450x2"], ["films", "--cache"], ["films", "--cache", ""],
            ["films", "--other"], ["measure-step", "x", "films"],
        ])
    func wrongCommandLinesAreRefused(arguments: [String]) {
        #expect(throws: FilmReelError.self) { try Command(arguments: arguments) }
    }
}
