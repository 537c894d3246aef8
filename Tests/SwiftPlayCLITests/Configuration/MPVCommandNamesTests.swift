import Testing

@testable import SwiftPlayCLI

@Suite struct MPVCommandNamesTests {
    @Test func everyCommandOfThisPlayerIsKnown() {
        let unknown = PlayerCommand.all.map(\.name).filter { !MPVCommandNames.contains($0) }
        #expect(unknown == [] && !MPVCommandNames.contains("sekk"))
    }
}
