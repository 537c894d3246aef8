import Testing

@testable import SwiftPlayKit

/// Tests all possible orders of events between a controller, its compositor and another program.
@Suite struct PictureInPictureModelTests {
    /// Returns a model in each reachable state, with the shortest sequence of events that leads to it, and the models
    /// in which a rule was violated (`broken`).
    private static func explore(sendsRemovedMessage: Bool) -> (
        models: [PictureInPictureModel], broken: [PictureInPictureModel]
    ) {
        var models = [PictureInPictureModel(sendsRemovedMessage: sendsRemovedMessage)]
        var broken: [PictureInPictureModel] = []
        var seen: Set<PictureInPictureModel.StateIdentity> = [models[0].identity]
        var next = 0
        while next < models.count, broken.count < 3 {
            let model = models[next]
            next += 1
            for step in model.steps {
                var reached = model
                reached.apply(step)
                if !reached.checker.violations.isEmpty {
                    broken.append(reached)
                } else if seen.insert(reached.identity).inserted {
                    models.append(reached)
                }
            }
        }
        return (models, broken)
    }

    /// Delivers all messages of the model, then closes the floating window. Returns the first violation of a rule; nil
    /// if all rules hold.
    private static func firstViolation(_ model: PictureInPictureModel, requiresConfirmations: Bool) -> String? {
        var model = model
        let isConfirmed = model.reachStableState()
        if requiresConfirmations, !isConfirmed { return "a start received no reply" }
        if !model.checker.violations.isEmpty { return "\(model.checker.violations)" }
        switch model.machine.state {
        case .active:
            if model.environment.window != .shown || !model.hasOrAwaitsWindow { return "active without a window" }
        case .idle:
            if model.environment.window != .none || model.hasOrAwaitsWindow { return "a window remains" }
        default: return "no stable state is reached"
        }
        if requiresConfirmations, model.machine.unconfirmedStopCount != 0 { return "a stop was never confirmed" }
        model.apply(.close)
        _ = model.reachStableState()
        if model.machine.state != .idle || !model.checker.matchesInitialState || model.environment.window != .none
            || model.hasOrAwaitsWindow
        {
            return "a close does not end Picture-in-Picture"
        }
        return model.checker.violations.isEmpty ? nil : "\(model.checker.violations)"
    }

    @Test("All orders follow the rules, reach a stable state and leave no window behind", arguments: [true, false])
    func everyOrderOfEventsFollowsTheRules(sendsRemovedMessage: Bool) {
        let (models, broken) = Self.explore(sendsRemovedMessage: sendsRemovedMessage)
        for model in broken { Issue.record("\(model.checker.violations): \(model.pastSteps)") }
        #expect(Set(models.map(\.machine.stateKind)).count == 8, "every state is reached")
        var failures = 0
        for model in models where failures < 3 {
            guard let failure = Self.firstViolation(model, requiresConfirmations: sendsRemovedMessage) else { continue }
            failures += 1
            Issue.record("\(failure): \(model.pastSteps)")
        }
        #expect(models.count > 1000, "\(models.count)")
    }
}
