import Testing

@testable import SwiftPlayKit

/// Tests all possible orders of events between a controller, its compositor and another program.
@Suite struct PictureInPictureModelTests {
    /// Returns a model in each reachable state, with the shortest sequence of events that leads to it, and the models
    /// in which a rule was violated (`violatingModels`).
    private static func explore(sendsRemovedMessage: Bool) -> (
        models: [PictureInPictureModel], violatingModels: [PictureInPictureModel]
    ) {
        var models = [PictureInPictureModel(sendsRemovedMessage: sendsRemovedMessage)]
        var violatingModels: [PictureInPictureModel] = []
        var visitedIdentities: Set<PictureInPictureModel.StateIdentity> = [models[0].identity]
        var nextIndex = 0
        while nextIndex < models.count, violatingModels.count < 3 {
            let model = models[nextIndex]
            nextIndex += 1
            for step in model.steps {
                var nextModel = model
                nextModel.apply(step)
                if !nextModel.checker.violations.isEmpty {
                    violatingModels.append(nextModel)
                } else if visitedIdentities.insert(nextModel.identity).inserted {
                    models.append(nextModel)
                }
            }
        }
        return (models, violatingModels)
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
        let (models, violatingModels) = Self.explore(sendsRemovedMessage: sendsRemovedMessage)
        for model in violatingModels { Issue.record("\(model.checker.violations): \(model.pastSteps)") }
        #expect(Set(models.map(\.machine.stateKind)).count == 8, "every state is reached")
        var violationCount = 0
        for model in models where violationCount < 3 {
            guard let violation = Self.firstViolation(model, requiresConfirmations: sendsRemovedMessage) else {
                continue
            }
            violationCount += 1
            Issue.record("\(violation): \(model.pastSteps)")
        }
        #expect(models.count > 1000, "\(models.count)")
    }
}
