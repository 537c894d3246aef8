import Testing

@testable import AudioPolicy

/// An arbiter with its time, and programs that are named by letters as in the policy's scenarios.
struct AudioWorld {
    typealias ID = AudioArbiter.ID
    typealias Action = AudioArbiter.Action
    typealias Notice = AudioArbiter.Notice

    var arbiter: AudioArbiter
    var now: Int64 = 0
    /// Every action so far, and the notices among them by program.
    private(set) var actions: [Action] = []
    private(set) var notices: [(to: String, notice: Notice)] = []
    /// What each program reads of the hint.
    private var silenced: [ID: Bool] = [:]

    init(rules: AudioArbiter.Rules = AudioArbiter.Rules()) { arbiter = AudioArbiter(rules: rules) }

    static let configurations: [String: (AudioCategory, AudioMode, AudioCategoryOptions)] = [
        "M": (.playback, .default, []), "V": (.playback, .moviePlayback, []), "K": (.playback, .moviePlayback, []),
        "G": (.ambient, .default, []),
        "S": (.soloAmbient, .default, []),
        "N": (.playback, .voicePrompt, [.interruptSpokenAudioAndMixWithOthers, .duckOthers]),
        "T": (.playback, .default, .duckOthers), "P": (.playback, .spokenAudio, []), "R": (.record, .default, []),
        "W": (.playAndRecord, .voiceChat, []), "X": (.playback, .default, .mixWithOthers),
    ]

    static func id(_ name: String) -> ID { ID(client: UInt64(name.utf8.first ?? 0), session: 0) }
    static func name(_ id: ID) -> String { String(UnicodeScalar(UInt8(truncatingIfNeeded: id.client))) }

    func session(_ name: String) -> AudioArbiter.Session? { arbiter.session(Self.id(name)) }
    func claim(_ name: String) -> AudioArbiter.Session.Claim? { session(name)?.claim }
    func isDucked(_ name: String) -> Bool { session(name)?.isDucked ?? false }

    /// What this input led to.
    @discardableResult
    mutating func take(_ input: (inout AudioArbiter, Int64) -> [Action]) -> [Action] {
        let new = input(&arbiter, now)
        actions += new
        for action in new {
            switch action {
            case .properties(let id, let properties): silenced[id] = properties.secondaryAudioShouldBeSilenced
            case .notify(let id, let notice):
                notices.append((Self.name(id), notice))
                // Who hears a hint reads what it says.
                if case .hint(let begins) = notice, silenced[id, default: false] != begins {
                    Issue.record("\(Self.name(id)) reads what was before the hint")
                }
            default: break
            }
        }
        return new
    }

    mutating func add(_ name: String, mayPlayInBackground: Bool = true) {
        take { $0.add(Self.id(name), mayPlayInBackground: mayPlayInBackground, now: $1) }
        guard let (category, mode, options) = Self.configurations[name],
            let configuration = try? AudioConfiguration(category: category, mode: mode, options: options)
        else { return }
        take { $0.configure(Self.id(name), configuration, now: $1) }
    }

    /// Activates it, and its sound begins.
    mutating func play(_ name: String) {
        if session(name) == nil { add(name) }
        activate(name)
        run(name)
    }

    @discardableResult
    mutating func activate(_ name: String, hasGesture: Bool = false) -> AudioSessionErrorCode? {
        let new = take { $0.activate(Self.id(name), hasGesture: hasGesture, now: $1) }
        for case .refused(_, let code) in new { return code }
        return nil
    }

    mutating func run(_ name: String) { take { $0.setRunning(true, of: Self.id(name), now: $1) } }
    mutating func stop(_ name: String) { take { $0.setRunning(false, of: Self.id(name), now: $1) } }

    /// As a program does that is well behaved: the sound first.
    mutating func leave(_ name: String, isNotified: Bool = true) {
        stop(name)
        take { $0.deactivate(Self.id(name), isNotified: isNotified, now: $1) }
    }

    mutating func die(_ name: String) { take { $0.removeAll(of: Self.id(name).client, now: $1) } }
    mutating func put(_ name: String, _ presence: AudioArbiter.Presence) {
        take { $0.setPresence(presence, of: Self.id(name).client, now: $1) }
    }

    /// Time goes by, with everything that becomes due on the way.
    mutating func wait(_ seconds: Double) {
        let end = now + Int64(seconds * 1e9)
        while let deadline = arbiter.deadline, deadline <= end {
            now = max(now, deadline)
            take { $0.tick(now: $1) }
        }
        now = end
    }

    mutating func notices(forget: Void) { notices = [] }

    /// What a program was told, in order, since this was asked last.
    mutating func heard(_ name: String) -> [Notice] {
        defer { notices.removeAll { $0.to == name } }
        return notices.filter { $0.to == name }.map(\.notice)
    }
}
