import Testing

@testable import CompositorProtocol

@Suite struct ProgramRoleTests {
    @Test("windows determine the role; a floating window and sound count only without a window")
    func roleFollowsWindowsAndSound() {
        for presence in ProgramPresence.allCases {
            for isFloating in [false, true] {
                for isAudible in [false, true] {
                    let role = ProgramRole(presence: presence, isFloating: isFloating, isAudible: isAudible)
                    let expected: ProgramRole =
                        switch presence {
                        case .focused: .primary
                        case .shown: .secondary
                        case .hidden: .backgroundMedia
                        case .noWindow: isFloating || isAudible ? .backgroundMedia : .none
                        }
                    #expect(role == expected)
                }
            }
        }
    }

    @Test func rolesAreOrderedByImportance() {
        #expect(ProgramRole.allCases.sorted() == [.none, .backgroundMedia, .secondary, .primary])
    }
}
