import Compositor

@testable import SwiftPlayKit

/// A simulation in which tests try all possible orders of events: a controller's state machine, a compositor with the
/// real arbiter, another program, and the messages in transit between them. Each possible next event is a ``Step``.
struct PictureInPictureModel {
    /// A possible next event.
    enum Step: Hashable, Sendable {
        // Events of the program under test and its user. The state of the model decides whether a start is possible.
        case start, stop, close
        case completeRestore(Bool)
        case completeOlderRestore(Bool)
        case removeSource
        // Timeouts of the program under test. `older` means a timer of an earlier start or restore request, which must
        // have no effect.
        case startTimesOut, olderStartTimesOut, restoreTimesOut, olderRestoreTimesOut,
            returnTimesOut, olderReturnTimesOut
        /// The next message in transit arrives. `programReceivesWithoutFrame` also means that the program has no frame
        /// for the window.
        case compositorReceives, programReceives, programReceivesWithoutFrame
        // Events of the compositor and of its floating window.
        case windowAppears, windowReturned, pressRestore, pressClose, arbiterTimesOut
        case compositorExits(messagesAreLost: Bool)
        case compositorRestarts
        // Events of the other program.
        case otherProgramRequests, otherProgramEnds
    }

    /// A message from the program under test to the compositor.
    enum Request: Hashable { case requestStart, start, stop, returnWindow }
    /// A message from the compositor to the program under test, or the loss of the connection.
    enum Message: Hashable { case opened, granted, shown, refused, stopped, removed, replaced, restore, close, lost }
    /// The state of the floating window.
    enum Window: Hashable { case none, opening, shown, returning }

    /// The part of a model's state by which two states are compared. The identity contains no numbers of restore
    /// requests and starts.
    struct StateIdentity: Hashable {
        let stateKind: PictureInPictureMachine.StateKind
        let unconfirmedStopCount: Int
        let checker: PictureInPictureRuleChecker
        let environment: Environment
    }

    /// Everything outside the program: messages in transit, the compositor and its window.
    struct Environment: Hashable {
        /// The requests in transit, oldest first.
        var requests: [Request] = []
        /// The messages in transit, oldest first.
        var messages: [Message] = [.opened]
        var arbiter = WindowArbiter()
        /// Whether the compositor is running.
        var isCompositorRunning = true
        var window = Window.none
        /// Whether the program under test has a connection to the compositor.
        var isConnected = false
    }

    /// The largest numbers of requests and messages in transit, so that the number of states stays finite.
    private static let requestLimit = 3, messageLimit = 3

    /// The compositor sessions of the program under test and of the other program.
    private static let testedProgram = SessionKey(client: 1, session: 1),
        otherProgram = SessionKey(client: 2, session: 1)

    /// The Picture-in-Picture machine under test.
    var machine = PictureInPictureMachine()
    var checker = PictureInPictureRuleChecker()
    var environment = Environment()
    /// Whether the compositor sends `removed` where an older compositor sends `stopped`.
    let sendsRemovedMessage: Bool
    /// The events that have led to the current state of the model.
    private(set) var pastSteps: [Step] = []

    init(sendsRemovedMessage: Bool) { self.sendsRemovedMessage = sendsRemovedMessage }

    var identity: StateIdentity {
        StateIdentity(
            stateKind: machine.stateKind, unconfirmedStopCount: machine.unconfirmedStopCount, checker: checker,
            environment: environment)
    }

    /// Whether the other program has a window or waits for a window.
    var otherProgramHasOrAwaitsWindow: Bool {
        environment.arbiter.mayHaveWindow(Self.otherProgram) || environment.arbiter.isWaiting(Self.otherProgram)
    }
    /// Whether the program under test has a window or waits for a window.
    var hasOrAwaitsWindow: Bool {
        environment.arbiter.mayHaveWindow(Self.testedProgram) || environment.arbiter.isWaiting(Self.testedProgram)
    }

    // MARK: Possible steps

    /// All events that are possible in the current state of the model.
    var steps: [Step] {
        var steps: [Step] = []
        // Further requests to which the compositor has not replied lead to no new behaviour.
        if environment.requests.count < Self.requestLimit, machine.unconfirmedStopCount < Self.requestLimit {
            steps += [.start, .stop, .close]
            if machine.state != .idle { steps.append(.removeSource) }
            if case .restoring = machine.state { steps += [.completeRestore(true), .completeRestore(false)] }
        }
        if machine.restoreRequestNumber > 0 { steps += [.completeOlderRestore(true), .olderRestoreTimesOut] }
        switch machine.state {
        case .requesting, .starting: steps += [.startTimesOut, .olderStartTimesOut]
        case .restoring: steps.append(.restoreTimesOut)
        case .returning: steps += [.returnTimesOut, .olderReturnTimesOut]
        case .idle, .active: break
        }
        if let message = environment.messages.first {
            steps.append(.programReceives)
            if message == .granted { steps.append(.programReceivesWithoutFrame) }
        }
        guard environment.isCompositorRunning else {
            return steps + (environment.messages.isEmpty ? [.compositorRestarts] : [])
        }
        steps += [.compositorExits(messagesAreLost: false), .compositorExits(messagesAreLost: true)]
        guard environment.messages.count < Self.messageLimit else { return steps }
        if !environment.requests.isEmpty { steps.append(.compositorReceives) }
        switch environment.window {
        case .none: break
        case .opening: steps.append(.windowAppears)
        case .shown: steps += [.pressRestore, .pressClose]
        case .returning: steps.append(.windowReturned)
        }
        if environment.arbiter.deadline != nil { steps.append(.arbiterTimesOut) }
        steps.append(otherProgramHasOrAwaitsWindow ? .otherProgramEnds : .otherProgramRequests)
        return steps
    }

    mutating func apply(_ step: Step) {
        pastSteps.append(step)
        switch step {
        case .start: process(.start(isPossible: environment.isConnected))
        case .stop: process(.stop)
        case .close: process(.close)
        case .completeRestore(let isRestored):
            process(.restoreCompleted(request: machine.restoreRequestNumber, isRestored))
        case .completeOlderRestore(let isRestored): process(.restoreCompleted(request: olderRestoreNumber, isRestored))
        case .removeSource: process(.sourceReleased)
        case .startTimesOut: process(.timedOut(attempt: machine.startNumber))
        case .olderStartTimesOut: process(.timedOut(attempt: machine.startNumber - 1))
        case .restoreTimesOut: process(.restoreTimedOut(request: machine.restoreRequestNumber))
        case .olderRestoreTimesOut: process(.restoreTimedOut(request: olderRestoreNumber))
        case .returnTimesOut: process(.returnTimedOut(attempt: machine.startNumber))
        case .olderReturnTimesOut: process(.returnTimedOut(attempt: machine.startNumber - 1))
        case .compositorReceives: handleRequest(environment.requests.removeFirst())
        case .programReceives: handleMessage(environment.messages.removeFirst(), hasFrame: true)
        case .programReceivesWithoutFrame: handleMessage(environment.messages.removeFirst(), hasFrame: false)
        case .windowAppears:
            environment.window = .shown
            environment.messages.append(.shown)
        case .windowReturned: removeWindow()
        case .pressRestore: environment.messages.append(.restore)
        case .pressClose: environment.messages.append(.close)
        case .arbiterTimesOut: perform(environment.arbiter.tick(now: environment.arbiter.deadline ?? 0))
        case .compositorExits(let messagesAreLost):
            environment.messages = (messagesAreLost ? [] : environment.messages) + [.lost]
            (environment.isCompositorRunning, environment.window, environment.requests, environment.arbiter) = (
                false, .none, [], WindowArbiter()
            )
        case .compositorRestarts:
            environment.isCompositorRunning = true
            environment.messages.append(.opened)
        case .otherProgramRequests: perform(environment.arbiter.request(Self.otherProgram, now: 0))
        case .otherProgramEnds: perform(environment.arbiter.releaseWindow(of: Self.otherProgram))
        }
        checker.check(machine.state)
    }

    /// The number of a restore request whose result is no longer expected.
    private var olderRestoreNumber: Int {
        if case .restoring(let request) = machine.state { request - 1 } else { machine.restoreRequestNumber }
    }

    // MARK: The compositor

    /// Performs the compositor's reaction to a request of the program under test.
    private mutating func handleRequest(_ request: Request) {
        switch request {
        case .requestStart:
            if environment.window == .returning { removeWindow() }
            perform(environment.arbiter.request(Self.testedProgram, now: 0))
        case .start:
            let mayOpen = environment.arbiter.mayHaveWindow(Self.testedProgram)
            if mayOpen { environment.window = .opening } else { environment.messages.append(.refused) }
        case .returnWindow where environment.window == .opening || environment.window == .shown:
            environment.window = .returning
        case .stop, .returnWindow:
            if environment.window == .returning { removeWindow() }
            removeWindow()
        }
    }

    /// Removes the floating window after a close request, and sends the confirmation.
    private mutating func removeWindow() {
        environment.window = .none
        environment.messages.append(.stopped)
        perform(environment.arbiter.releaseWindow(of: Self.testedProgram))
    }

    /// Sends the messages that the actions of the compositor's arbiter require.
    private mutating func perform(_ actions: [WindowArbiter.Action]) {
        for action in actions {
            switch action {
            case .grant(Self.testedProgram): environment.messages.append(.granted)
            case .replace(Self.testedProgram): environment.messages.append(.replaced)
            case .refuse(Self.testedProgram, _): environment.messages.append(.refused)
            case .remove(Self.testedProgram):
                environment.messages.append(
                    sendsRemovedMessage && environment.window != .returning ? .removed : .stopped)
                environment.window = .none
            default: break
            }
        }
    }

    // MARK: The program

    /// Performs the reaction of the program under test to a message of the compositor.
    private mutating func handleMessage(_ message: Message, hasFrame: Bool) {
        switch message {
        case .opened: environment.isConnected = true
        case .granted: process(.granted, hasFrame: hasFrame)
        case .shown: process(.shown)
        case .refused: process(.refused("no"))
        case .stopped: process(.stopped)
        case .removed: process(.windowClosed)
        case .replaced: process(.replaced)
        case .restore: if machine.hasWindow { process(.stop) }
        case .close: if machine.hasWindow { process(.close) }
        case .lost:
            environment.isConnected = false
            process(.lost)
        }
    }

    /// Passes an input to the Picture-in-Picture machine, and performs and checks its actions.
    private mutating func process(_ input: PictureInPictureMachine.Input, hasFrame: Bool = true) {
        checker.receive(input)
        let previousMachine = machine
        var isReturnAnimated = false
        let actions = machine.handle(input)
        if sendsRemovedMessage, input == .stopped {
            checker.require(
                (actions.isEmpty || previousMachine.state == .returning) && previousMachine.unconfirmedStopCount > 0,
                "a confirmation causes further actions")
        }
        for action in actions {
            checker.record(action, after: input)
            switch action {
            case .requestWindow: send(.requestStart)
            case .openWindow: if hasFrame { send(.start) } else { process(.failed("there is no frame")) }
            case .returnToLayer(let isAnimated): isReturnAnimated = isAnimated
            case .closeWindow: send(isReturnAnimated ? .returnWindow : .stop)
            default: break
            }
        }
    }

    /// Sends a request to the compositor.
    private mutating func send(_ request: Request) {
        // Requests to a compositor that is not running or not yet known are lost.
        if environment.isCompositorRunning, environment.isConnected { environment.requests.append(request) }
    }

    /// Delivers all messages in transit without new events of the program or its user.
    ///
    /// - Returns: False if the compositor sent no reply, so that a time limit of the program had to pass.
    mutating func reachStableState() -> Bool {
        var isConfirmed = true
        for _ in 0..<64 {
            if !environment.messages.isEmpty {
                apply(.programReceives)
            } else if environment.isCompositorRunning, !environment.requests.isEmpty {
                apply(.compositorReceives)
            } else if environment.window == .opening {
                apply(.windowAppears)
            } else if environment.window == .returning {
                apply(.windowReturned)
            } else if environment.arbiter.deadline != nil {
                apply(.arbiterTimesOut)
            } else {
                switch machine.state {
                case .restoring: apply(.restoreTimesOut)
                case .requesting, .starting:
                    isConfirmed = false
                    apply(.startTimesOut)
                case .returning:
                    isConfirmed = false
                    apply(.returnTimesOut)
                case .idle, .active: return isConfirmed
                }
            }
        }
        return false
    }
}
