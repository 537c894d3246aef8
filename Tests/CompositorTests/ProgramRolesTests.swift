import CompositorProtocol
import TestSupport
import Testing

@testable import Compositor

@Suite struct ProgramRolesTests {
    private static let second: Int64 = 1_000_000_000

    @Test("a new program and a more important role take effect immediately")
    func importantRolesTakeEffectImmediately() {
        var roles = ProgramRoles()
        #expect(roles.update([1: .none], now: 0) == [.init(id: 1, role: .none)])
        #expect(
            roles.update([1: .secondary, 2: .primary], now: 1) == [
                .init(id: 1, role: .secondary), .init(id: 2, role: .primary),
            ])
        #expect(roles.update([1: .primary, 2: .primary], now: 2) == [.init(id: 1, role: .primary)])
        #expect(roles.deadline == nil)
    }

    @Test("a less important role takes effect after a second without a more important one")
    func lessImportantRolesTakeEffectAfterASecond() {
        var roles = ProgramRoles()
        _ = roles.update([1: .primary], now: 0)
        #expect(roles.update([1: .none], now: 10) == [] && roles.deadline == 10 + Self.second)
        // The role at the end of the delay takes effect, not the role at its start.
        #expect(roles.update([1: .secondary], now: 20) == [] && roles.deadline == 10 + Self.second)
        #expect(roles.update([1: .secondary], now: 9 + Self.second) == [])
        #expect(roles.update([1: .secondary], now: 10 + Self.second) == [.init(id: 1, role: .secondary)])
        #expect(roles.deadline == nil && roles[1] == .secondary)
    }

    @Test("when the focus moves 20 times in 10 s between two programs, no role changes")
    func movingFocusChangesNoRole() {
        var roles = ProgramRoles(), changes: [ProgramRoles.Change] = []
        for step in 0..<20 as Range<Int64> {
            let isFirst = step % 2 == 0
            changes += roles.update(
                [1: isFirst ? .primary : .secondary, 2: isFirst ? .secondary : .primary], now: step * Self.second / 2)
        }
        #expect(
            changes == [
                .init(id: 1, role: .primary), .init(id: 2, role: .secondary), .init(id: 2, role: .primary),
            ])
    }

    @Test func programsThatDisconnectAreForgotten() {
        var roles = ProgramRoles()
        _ = roles.update([1: .primary, 2: .primary], now: 0)
        _ = roles.update([1: .none, 2: .primary], now: 1)
        #expect(roles.update([2: .primary], now: 2) == [] && roles.deadline == nil && roles[1] == nil)
    }

    @Test("at any time, a role is the greatest of the last second, or of the time since the program is known")
    func roleIsTheGreatestOfTheLastSecond() {
        var generator = SeededGenerator.printingSeed()
        for _ in 0..<300 {
            var roles = ProgramRoles(), now: Int64 = 0, history: [(time: Int64, role: ProgramRole)] = []
            for _ in 0..<40 {
                let role = ProgramRole.allCases.randomElement(using: &generator) ?? .none
                history.append((now, role))
                _ = roles.update([1: role], now: now)
                // The roles that were current at some time within the last second, and the current role.
                let recentIndices = history.indices.filter { index in
                    index == history.count - 1 || history[index + 1].time > now - Self.second
                }
                let greatestRole = recentIndices.map { history[$0].role }.max() ?? .none
                // A pending change begins with the first less important role, so the role may be below a greater role
                // that held later.
                #expect((roles[1] ?? .none) <= greatestRole && (roles[1] ?? .none) >= role)
                if let deadline = roles.deadline { #expect(deadline > now && deadline <= now + Self.second) }
                now += Int64.random(in: 1...Self.second * 3 / 2, using: &generator)
            }
        }
    }
}
