import Testing

@testable import SwiftPlayKit

/// Tests all possible orders of events between a controller, its compositor and another program.
@Suite struct PictureInPictureModelTests {
    /// Returns all reachable states ("worlds") of the model, each with its shortest sequence of events, and the states
    /// in which a rule was violated.
    private static func explore(sendsRemovedMessage: Bool) -> (
        worlds: [PictureInPictureModel], broken: [PictureInPictureModel]
    ) {
        var worlds = [PictureInPictureModel(sendsRemovedMessage: sendsRemovedMessage)]
        var broken: [PictureInPictureModel] = []
        var seen: Set<PictureInPictureModel.StateIdentity> = [worlds[0].identity]
        var next = 0
        while next < worlds.count, broken.count < 3 {
            let world = worlds[next]
            next += 1
            for step in world.steps {
                var reached = world
                reached.apply(step)
                if !reached.checker.violations.isEmpty {
                    broken.append(reached)
                } else if seen.insert(reached.identity).inserted {
                    worlds.append(reached)
                }
            }
        }
        return (worlds, broken)
    }

    /// Delivers all messages of the model, then closes the floating window. Returns the first violation of a rule; nil
    /// if all rules hold.
    private static func firstViolation(_ world: PictureInPictureModel, requiresConfirmations: Bool) -> String? {
        var world = world
        let isConfirmed = world.reachStableState()
        if requiresConfirmations, !isConfirmed { return "a start received no reply" }
        if !world.checker.violations.isEmpty { return "\(world.checker.violations)" }
        switch world.machine.state {
        case .active:
            if world.environment.window != .shown || !world.hasOrAwaitsWindow { return "active without a window" }
        case .idle:
            if world.environment.window != .none || world.hasOrAwaitsWindow { return "a window remains" }
        default: return "no stable state is reached"
        }
        if requiresConfirmations, world.machine.unconfirmedStopCount != 0 { return "a stop was never confirmed" }
        world.apply(.close)
        _ = world.reachStableState()
        if world.machine.state != .idle || !world.checker.matchesInitialState || world.environment.window != .none
            || world.hasOrAwaitsWindow
        {
            return "a close does not end Picture-in-Picture"
        }
        return world.checker.violations.isEmpty ? nil : "\(world.checker.violations)"
    }

    @Test("All orders follow the rules, reach a stable state and leave no window behind", arguments: [true, false])
    func everyOrderOfEventsFollowsTheRules(sendsRemovedMessage: Bool) {
        let (worlds, broken) = Self.explore(sendsRemovedMessage: sendsRemovedMessage)
        for world in broken { Issue.record("\(world.checker.violations): \(world.pastSteps)") }
        #expect(Set(worlds.map(\.machine.stateKind)).count == 8, "every state is reached")
        var failures = 0
        for world in worlds where failures < 3 {
            guard let failure = Self.firstViolation(world, requiresConfirmations: sendsRemovedMessage) else { continue }
            failures += 1
            Issue.record("\(failure): \(world.pastSteps)")
        }
        #expect(worlds.count > 1000, "\(worlds.count)")
    }
}
