import Testing

@testable import FilmReel

@Suite struct CommandTests {
    @Test func commandLinesAreParsed() throws {
        let showCommand = try Command(arguments: ["films"])
        #expect(
            showCommand.action == .show && showCommand.folder == "films"
                && showCommand.tile == PixelSize(width: 300, height: 450))
        let measureCommand = try Command(arguments: ["measure", "--tile", "200x300", "films", "--cache", "here"])
        #expect(measureCommand.action == .measure && measureCommand.folder == "films")
        #expect(measureCommand.tile == PixelSize(width: 200, height: 300) && measureCommand.cacheFolder == "here")
        let stepCommand = try Command(arguments: ["measure-step", "mapped-warm", "films"])
        #expect(stepCommand.action == .measureStep(.mappedWarm))
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
