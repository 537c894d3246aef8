import CompositorProtocol
import Testing

@testable import SwiftPlayCLI

@Suite struct ProgramTableTests {
    @Test func programsAreListedByImportance() {
        let programs = [
            ProgramSnapshot(
                processID: 30, name: "radio", role: .backgroundMedia, presence: .noWindow, isFloating: false,
                isAudible: true),
            ProgramSnapshot(
                processID: 7, name: "film", role: .primary, presence: .focused, isFloating: false, isAudible: true),
            ProgramSnapshot(
                processID: 8, name: "clip", role: .primary, presence: .hidden, isFloating: true, isAudible: false),
        ]
        #expect(
            ProgramTable.text(of: programs) == """
                PID  PROGRAM  ROLE        WINDOW   PIP  SOUND
                7    film     primary     focused  -    yes
                8    clip     primary     hidden   yes  -
                30   radio    background  -        -    yes

                """)
        #expect(ProgramTable.text(of: []) == "no programs\n")
    }
}
