import Testing

@testable import AudioPolicy

/// The audio arbiter under test with a simulated clock. Programs have names of one letter, and one session each;
/// ``configurations`` defines the sessions.
struct AudioModel {
    typealias ID = AudioArbiter.ID
    typealias Action = AudioArbiter.Action
    typealias Notice = AudioArbiter.Notice

    var arbiter: AudioArbiter
    /// The simulated time, in nanoseconds.
    var now: Int64 = 0
    /// All actions that the arbiter has requested so far.
    private(set) var actions: [Action] = []
    /// The notifications that ``takeNotices(_:)`` has not returned yet, with the letters of their programs.
    private(set) var notices: [(program: String, notice: Notice)] = []
    /// The value of `secondaryAudioShouldBeSilenced` that the arbiter last published for each session.
    private var silenceHints: [ID: Bool] = [:]

    init(rules: AudioArbiter.Rules = AudioArbiter.Rules()) { arbiter = AudioArbiter(rules: rules) }

    /// The category, the mode and the options of each program, by the program's letter.
    static let configurations: [String: (AudioCategory, AudioMode, AudioCategoryOptions)] = [
        "M": (.playback, .default, []), "V": (.playback, .moviePlayback, []), "K": (.playback, .moviePlayback, []),
        "G": (.ambient, .default, []),
        "S": (.soloAmbient, .default, []),
        "N": (.playback, .voicePrompt, [.interruptSpokenAudioAndMixWithOthers, .duckOthers]),
        "T": (.playback, .default, .duckOthers), "P": (.playback, .spokenAudio, []), "R": (.record, .default, []),
        "W": (.playAndRecord, .voiceChat, []), "X": (.playback, .default, .mixWithOthers),
    ]

    /// Returns the identifier of a program's session.
    static func id(_ program: String) -> ID { ID(client: UInt64(program.utf8.first ?? 0), session: 0) }
    /// Returns the letter of the program that owns a session.
    static func name(_ id: ID) -> String { String(UnicodeScalar(UInt8(truncatingIfNeeded: id.client))) }

    /// Returns the state of a program's session; nil if the session is not registered.
    func session(_ program: String) -> AudioArbiter.Session? { arbiter.session(Self.id(program)) }
    /// Returns whether a program's session is active, interrupted or inactive; nil if it is not registered.
    func activationState(_ program: String) -> AudioArbiter.Session.Activation? { session(program)?.activation }
    /// Returns whether the arbiter currently ducks (attenuates) a program's audio.
    func isDucked(_ program: String) -> Bool { session(program)?.isDucked ?? false }

    /// Passes an event to the arbiter with the simulated time, and returns the actions that the arbiter requests.
    @discardableResult
    mutating func perform(_ sendEvent: (inout AudioArbiter, Int64) -> [Action]) -> [Action] {
        let newActions = sendEvent(&arbiter, now)
        actions += newActions
        for action in newActions {
            switch action {
            case .sendProperties(let id, let properties): silenceHints[id] = properties.secondaryAudioShouldBeSilenced
            case .notify(let id, let notice):
                notices.append((Self.name(id), notice))
                // The arbiter must set `secondaryAudioShouldBeSilenced` before it sends the hint with the same value.
                if case .silenceSecondaryAudioHint(let isSilent) = notice,
                    silenceHints[id, default: false] != isSilent
                {
                    Issue.record("\(Self.name(id)) has a property that contradicts the hint")
                }
            default: break
            }
        }
        return newActions
    }

    /// Registers a program's session and sets its category.
    mutating func add(_ program: String, mayPlayInBackground: Bool = true) {
        perform { $0.add(Self.id(program), mayPlayInBackground: mayPlayInBackground, now: $1) }
        guard let (category, mode, options) = Self.configurations[program],
            let configuration = try? AudioConfiguration(category: category, mode: mode, options: options)
        else { return }
        perform { $0.configure(Self.id(program), configuration, now: $1) }
    }

    /// Registers a second session of a program, with the initial configuration. Returns its identifier.
    mutating func addSecondSession(of program: String) -> ID {
        let id = ID(client: Self.id(program).client, session: 1)
        perform { $0.add(id, now: $1) }
        return id
    }

    /// Activates a program's session and starts its audio. Registers the session first if necessary.
    mutating func play(_ program: String) {
        if session(program) == nil { add(program) }
        activate(program)
        startAudio(program)
    }

    /// Activates a program's session. Returns the error code if the arbiter refuses.
    @discardableResult
    mutating func activate(_ program: String, hasGesture: Bool = false) -> AudioSessionErrorCode? {
        let actions = perform { $0.activate(Self.id(program), hasGesture: hasGesture, now: $1) }
        for case .refused(_, let errorCode) in actions { return errorCode }
        return nil
    }

    /// Reports to the arbiter that a program's audio has started.
    mutating func startAudio(_ program: String) { perform { $0.setRunning(true, of: Self.id(program), now: $1) } }
    /// Reports to the arbiter that a program's audio has stopped.
    mutating func stopAudio(_ program: String) { perform { $0.setRunning(false, of: Self.id(program), now: $1) } }

    /// Stops a program's audio, then deactivates the session, as a well-behaved program does.
    mutating func deactivate(_ program: String, notifiesOthers: Bool = true) {
        stopAudio(program)
        perform { $0.deactivate(Self.id(program), notifiesOthers: notifiesOthers, now: $1) }
    }

    /// Reports to the arbiter that a program has exited: removes all its sessions.
    mutating func crash(_ program: String) { perform { $0.removeAll(of: Self.id(program).client, now: $1) } }
    /// Moves a program to the foreground, to the background or to Picture-in-Picture.
    mutating func setVisibility(_ program: String, _ visibility: AudioArbiter.Visibility) {
        perform { $0.setVisibility(visibility, of: Self.id(program).client, now: $1) }
    }

    /// Advances the simulated clock by `seconds`, and lets the arbiter handle the deadlines within this time.
    mutating func wait(_ seconds: Double) {
        let endTime = now + Int64(seconds * 1e9)
        while let deadline = arbiter.deadline, deadline <= endTime {
            now = max(now, deadline)
            perform { $0.tick(now: $1) }
        }
        now = endTime
    }

    /// Discards the notifications of all programs.
    mutating func discardNotices() { notices = [] }

    /// Removes and returns the notifications that a program has received, oldest first.
    mutating func takeNotices(_ program: String) -> [Notice] {
        defer { notices.removeAll { $0.program == program } }
        return notices.filter { $0.program == program }.map(\.notice)
    }
}
