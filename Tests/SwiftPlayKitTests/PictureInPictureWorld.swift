import Compositor

@testable import SwiftPlayKit

/// A controller's machine, a compositor with its real arbiter, another program, and what is on its way between them:
/// everything that may happen next is a ``Step``. A pure value.
struct PictureInPictureWorld {
    enum Step: Hashable, Sendable {
        // The program and its user. Whether a start is possible follows from the rest.
        case start, stop, close
        case answer(Bool)
        case answerLate(Bool)
        case pictureGoes
        // Time.
        case startTakesTooLong, olderStartTakesTooLong, answerTakesTooLong, olderAnswerTakesTooLong,
            landingTakesTooLong, olderLandingTakesTooLong
        /// The next word on its way arrives; as the second, where the picture cannot be given to the window.
        case compositorHears, programHears, programHearsAndCannotFeed
        // The compositor.
        case windowIsSeen, windowLands, pressRestore, pressClose, patienceEnds
        case dies(wordsAreLost: Bool)
        case comesBack
        // The other program.
        case neighbourAsks, neighbourGoes
    }

    enum Request: Hashable { case requestStart, start, stop, land }
    enum Word: Hashable { case opened, granted, shown, refused, stopped, removed, replaced, restore, close, lost }
    enum Window: Hashable { case none, opening, shown, landing }

    /// All but the numbers that only tell older questions and starts from the newest.
    struct Key: Hashable {
        let form: PictureInPictureMachine.Form
        let unconfirmedStops: Int
        let ledger: PictureInPictureLedger
        let outside: Outside
    }

    struct Outside: Hashable {
        var requests: [Request] = []
        var words: [Word] = [.opened]
        var arbiter = WindowArbiter()
        var isAlive = true
        var window = Window.none
        /// The program has heard that there is a compositor.
        var isOpen = false
    }

    /// On their way at once, beyond which nobody asks for or does anything new.
    private static let mostRequests = 3, mostWords = 3

    private static let us = SessionKey(client: 1, session: 1), neighbour = SessionKey(client: 2, session: 1)

    var machine = PictureInPictureMachine()
    var ledger = PictureInPictureLedger()
    var outside = Outside()
    /// A compositor that says `removed` where an older one says `stopped`.
    let saysRemoved: Bool
    private(set) var path: [Step] = []

    init(saysRemoved: Bool) { self.saysRemoved = saysRemoved }

    var key: Key {
        Key(
            form: machine.form, unconfirmedStops: machine.unconfirmedStops, ledger: ledger, outside: outside)
    }

    var hasNeighbour: Bool { outside.arbiter.holds(Self.neighbour) || outside.arbiter.awaits(Self.neighbour) }
    var holdsArbiter: Bool { outside.arbiter.holds(Self.us) || outside.arbiter.awaits(Self.us) }

    // MARK: what may happen

    /// Everything that may happen now.
    var steps: [Step] {
        var steps: [Step] = []
        // A program that asks faster than it is answered does nothing new.
        if outside.requests.count < Self.mostRequests, machine.unconfirmedStops < Self.mostRequests {
            steps += [.start, .stop, .close]
            if machine.state != .idle { steps.append(.pictureGoes) }
            if case .restoring = machine.state { steps += [.answer(true), .answer(false)] }
        }
        if machine.questions > 0 { steps += [.answerLate(true), .olderAnswerTakesTooLong] }
        switch machine.state {
        case .requesting, .starting: steps += [.startTakesTooLong, .olderStartTakesTooLong]
        case .restoring: steps.append(.answerTakesTooLong)
        case .landing: steps += [.landingTakesTooLong, .olderLandingTakesTooLong]
        case .idle, .active: break
        }
        if let word = outside.words.first {
            steps.append(.programHears)
            if word == .granted { steps.append(.programHearsAndCannotFeed) }
        }
        guard outside.isAlive else { return steps + (outside.words.isEmpty ? [.comesBack] : []) }
        steps += [.dies(wordsAreLost: false), .dies(wordsAreLost: true)]
        guard outside.words.count < Self.mostWords else { return steps }
        if !outside.requests.isEmpty { steps.append(.compositorHears) }
        switch outside.window {
        case .none: break
        case .opening: steps.append(.windowIsSeen)
        case .shown: steps += [.pressRestore, .pressClose]
        case .landing: steps.append(.windowLands)
        }
        if outside.arbiter.deadline != nil { steps.append(.patienceEnds) }
        steps.append(hasNeighbour ? .neighbourGoes : .neighbourAsks)
        return steps
    }

    mutating func take(_ step: Step) {
        path.append(step)
        switch step {
        case .start: tell(.start(isPossible: outside.isOpen))
        case .stop: tell(.stop)
        case .close: tell(.close)
        case .answer(let restored): tell(.restoreAnswered(question: machine.questions, restored))
        case .answerLate(let restored): tell(.restoreAnswered(question: olderQuestion, restored))
        case .pictureGoes: tell(.sourceGone)
        case .startTakesTooLong: tell(.timedOut(attempt: machine.attempts))
        case .olderStartTakesTooLong: tell(.timedOut(attempt: machine.attempts - 1))
        case .answerTakesTooLong: tell(.restoreTimedOut(question: machine.questions))
        case .olderAnswerTakesTooLong: tell(.restoreTimedOut(question: olderQuestion))
        case .landingTakesTooLong: tell(.landingTimedOut(attempt: machine.attempts))
        case .olderLandingTakesTooLong: tell(.landingTimedOut(attempt: machine.attempts - 1))
        case .compositorHears: obey(outside.requests.removeFirst())
        case .programHears: hear(outside.words.removeFirst(), canFeed: true)
        case .programHearsAndCannotFeed: hear(outside.words.removeFirst(), canFeed: false)
        case .windowIsSeen:
            outside.window = .shown
            outside.words.append(.shown)
        case .windowLands: removeWindow()
        case .pressRestore: outside.words.append(.restore)
        case .pressClose: outside.words.append(.close)
        case .patienceEnds: perform(outside.arbiter.tick(now: outside.arbiter.deadline ?? 0))
        case .dies(let wordsAreLost):
            outside.words = (wordsAreLost ? [] : outside.words) + [.lost]
            (outside.isAlive, outside.window, outside.requests, outside.arbiter) = (false, .none, [], WindowArbiter())
        case .comesBack:
            outside.isAlive = true
            outside.words.append(.opened)
        case .neighbourAsks: perform(outside.arbiter.request(Self.neighbour, now: 0))
        case .neighbourGoes: perform(outside.arbiter.ended(Self.neighbour))
        }
        ledger.settle(machine.state)
    }

    /// Of a question that nobody waits for (any more).
    private var olderQuestion: Int {
        if case .restoring(let question) = machine.state { question - 1 } else { machine.questions }
    }

    // MARK: the compositor

    private mutating func obey(_ request: Request) {
        switch request {
        case .requestStart:
            if outside.window == .landing { removeWindow() }
            perform(outside.arbiter.request(Self.us, now: 0))
        case .start:
            guard outside.arbiter.holds(Self.us) else { return outside.words.append(.refused) }
            outside.window = .opening
        case .land where outside.window == .opening || outside.window == .shown: outside.window = .landing
        case .stop, .land:
            if outside.window == .landing { removeWindow() }
            removeWindow()
        }
    }

    /// It was given back, and is gone now.
    private mutating func removeWindow() {
        outside.window = .none
        outside.words.append(.stopped)
        perform(outside.arbiter.ended(Self.us))
    }

    private mutating func perform(_ actions: [WindowArbiter.Action]) {
        for action in actions {
            switch action {
            case .grant(Self.us): outside.words.append(.granted)
            case .replace(Self.us): outside.words.append(.replaced)
            case .refuse(Self.us, _): outside.words.append(.refused)
            case .remove(Self.us):
                outside.words.append(saysRemoved && outside.window != .landing ? .removed : .stopped)
                outside.window = .none
            default: break
            }
        }
    }

    // MARK: the program

    private mutating func hear(_ word: Word, canFeed: Bool) {
        switch word {
        case .opened: outside.isOpen = true
        case .granted: tell(.granted, canFeed: canFeed)
        case .shown: tell(.shown)
        case .refused: tell(.refused("no"))
        case .stopped: tell(.stopped)
        case .removed: tell(.windowGone)
        case .replaced: tell(.replaced)
        case .restore: if machine.hasWindow { tell(.stop) }
        case .close: if machine.hasWindow { tell(.close) }
        case .lost:
            outside.isOpen = false
            tell(.lost)
        }
    }

    private mutating func tell(_ input: PictureInPictureMachine.Input, canFeed: Bool = true) {
        ledger.hear(input)
        let before = machine
        var flies = false
        let actions = machine.handle(input)
        if saysRemoved, input == .stopped {
            ledger.demand(
                (actions.isEmpty || before.state == .landing) && before.unconfirmedStops > 0,
                "a word that confirms does more than that")
        }
        for action in actions {
            ledger.note(action, after: input)
            switch action {
            case .requestWindow: send(.requestStart)
            case .openWindow: if canFeed { send(.start) } else { tell(.failed("there is no frame")) }
            case .returnToLayer(let mayFly): flies = mayFly
            case .closeWindow: send(flies ? .land : .stop)
            default: break
            }
        }
    }

    private mutating func send(_ request: Request) {
        // To one who is dead, or not there yet: nobody hears it.
        if outside.isAlive, outside.isOpen { outside.requests.append(request) }
    }

    // MARK: the end of all things

    /// Lets everything that is on its way arrive, and nobody does anything new.
    ///
    /// - Returns: false when a time limit of the program's own was needed where the compositor should have spoken.
    mutating func comeToRest() -> Bool {
        var isSound = true
        for _ in 0..<64 {
            if !outside.words.isEmpty {
                take(.programHears)
            } else if outside.isAlive, !outside.requests.isEmpty {
                take(.compositorHears)
            } else if outside.window == .opening {
                take(.windowIsSeen)
            } else if outside.window == .landing {
                take(.windowLands)
            } else if outside.arbiter.deadline != nil {
                take(.patienceEnds)
            } else {
                switch machine.state {
                case .restoring: take(.answerTakesTooLong)
                case .requesting, .starting:
                    isSound = false
                    take(.startTakesTooLong)
                case .landing:
                    isSound = false
                    take(.landingTakesTooLong)
                case .idle, .active: return isSound
                }
            }
        }
        return false
    }
}
