import Testing

@testable import SwiftPlayKit

/// Everything that can happen between a controller, its compositor and another program, in every order that can be.
@Suite struct PictureInPictureWorldTests {
    /// Every world that can be reached, each once, with the shortest way to it; and those in which a promise was
    /// broken.
    private static func explore(saysRemoved: Bool) -> (worlds: [PictureInPictureWorld], broken: [PictureInPictureWorld])
    {
        var worlds = [PictureInPictureWorld(saysRemoved: saysRemoved)], broken: [PictureInPictureWorld] = []
        var seen: Set<PictureInPictureWorld.Key> = [worlds[0].key]
        var next = 0
        while next < worlds.count, broken.count < 3 {
            let world = worlds[next]
            next += 1
            for step in world.steps {
                var reached = world
                reached.take(step)
                if !reached.ledger.complaints.isEmpty {
                    broken.append(reached)
                } else if seen.insert(reached.key).inserted {
                    worlds.append(reached)
                }
            }
        }
        return (worlds, broken)
    }

    private static func check(_ world: PictureInPictureWorld, isExact: Bool) -> String? {
        var world = world
        let isSound = world.comeToRest()
        if isExact, !isSound { return "a start was never answered" }
        if !world.ledger.complaints.isEmpty { return "\(world.ledger.complaints)" }
        switch world.machine.state {
        case .active:
            if world.outside.window != .shown || !world.holdsArbiter { return "active without a window" }
        case .idle:
            if world.outside.window != .none || world.holdsArbiter { return "a window is left behind" }
        default: return "it does not come to rest"
        }
        if isExact, world.machine.unconfirmedStops != 0 { return "a stop was never confirmed" }
        world.take(.close)
        _ = world.comeToRest()
        if world.machine.state != .idle || !world.ledger.isClean || world.outside.window != .none || world.holdsArbiter
        {
            return "a close does not end it"
        }
        return world.ledger.complaints.isEmpty ? nil : "\(world.ledger.complaints)"
    }

    @Test("the promises hold, every way comes to rest, and nothing is left behind", arguments: [true, false])
    func everyOrder(saysRemoved: Bool) {
        let (worlds, broken) = Self.explore(saysRemoved: saysRemoved)
        for world in broken { Issue.record("\(world.ledger.complaints): \(world.path)") }
        #expect(Set(worlds.map(\.machine.form)).count == 8, "every state is reached")
        var complaints = 0
        for world in worlds where complaints < 3 {
            guard let complaint = Self.check(world, isExact: saysRemoved) else { continue }
            complaints += 1
            Issue.record("\(complaint): \(world.path)")
        }
        #expect(worlds.count > 1000, "\(worlds.count)")
    }
}
