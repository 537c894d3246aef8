import AudioPolicy
import CompositorProtocol

/// The system-wide conditions (calls, the silent switch, the screen lock) and their owners. A pure value.
///
/// A reset of media services does not change it. ``keptText`` outlives the compositor.
package struct SystemState: Equatable, Sendable {
    /// The owner of a condition: the user or program that announced it.
    package enum Owner: Hashable, Sendable {
        /// A user's command: the condition holds until another command ends it.
        case user
        /// A program: the condition ends with the program's connection at the latest.
        case client(UInt64)
    }

    /// The state of a phone call, in the order of progress.
    package enum Call: String, CaseIterable, Comparable, Sendable {
        /// An incoming call is shown as a banner.
        case banner
        /// An incoming call is shown full-screen.
        case fullScreen = "full-screen"
        /// The call was accepted.
        case accepted

        /// Returns whether `one` is an earlier state than `other`.
        package static func < (one: Call, other: Call) -> Bool { one.rank < other.rank }
        private var rank: Int {
            switch self {
            case .banner: 1
            case .fullScreen: 2
            case .accepted: 3
            }
        }
    }

    /// A condition that is on or off.
    package enum Switch: String, CaseIterable, Sendable {
        case silent, lock
        case videoCall = "video-call"
    }

    private var calls: [Owner: Call] = [:]
    private var switches: [Switch: Set<Owner>] = [:]
    /// The announced name of the sound server's device; `nil` if none was announced.
    package private(set) var serverDevice: String?
    /// Whether the last audio device was removed and no other device has been added since.
    package var hasLostDevice = false

    /// Creates a state without conditions.
    package init() {}

    /// The most advanced call; `nil` without a call.
    package var call: Call? { calls.values.max() }
    /// Whether the silent switch is on.
    package var isSilent: Bool { isOn(.silent) }
    /// Whether the screen is locked.
    package var isLocked: Bool { isOn(.lock) }
    /// Whether a video call occupies the screen, which hides floating windows.
    package var isVideoCalled: Bool { isOn(.videoCall) }
    /// Whether a condition affects future programs, so that the compositor must not exit for idleness.
    package var isUnderRule: Bool { call != nil || Switch.allCases.contains(where: isOn) }

    /// The programs that own a current condition.
    var holders: Set<UInt64> {
        Set(
            Set(calls.keys).union(switches.values.joined()).compactMap {
                if case .client(let id) = $0 { id } else { nil }
            })
    }

    private func isOn(_ name: Switch) -> Bool { switches[name]?.isEmpty == false }

    // MARK: events

    /// Handles an event. A user's command overrides the announcements of programs; a program changes only its own
    /// announcements.
    package mutating func handle(_ event: SystemRequest, from owner: Owner) {
        switch event {
        case .callComes(let isBanner): calls[owner] = max(calls[owner] ?? .banner, isBanner ? .banner : .fullScreen)
        case .callAccepted:
            for caller in calls.keys where caller == owner || owner == .user { calls[caller] = .accepted }
        case .callEnds: if owner == .user { calls = [:] } else { calls[owner] = nil }
        case .silentSwitch(let on): set(.silent, on, owner)
        case .screenLock(let on): set(.lock, on, owner)
        case .videoCall(let on): set(.videoCall, on, owner)
        // The device is a fact of the system without an owner.
        case .deviceLost: serverDevice = nil
        case .deviceAdded(let name), .deviceChosen(let name): serverDevice = Self.isName(name) ? name : nil
        case .resetMediaServices, .listSessions: break
        }
    }

    private mutating func set(_ name: Switch, _ on: Bool, _ owner: Owner) {
        if on {
            switches[name, default: []].insert(owner)
        } else if owner == .user {
            switches[name] = nil
        } else {
            remove(owner, from: name)
        }
    }

    private mutating func remove(_ owner: Owner, from name: Switch) {
        switches[name]?.remove(owner)
        if switches[name]?.isEmpty == true { switches[name] = nil }
    }

    /// Ends all conditions that a program announced.
    package mutating func connectionEnded(_ client: UInt64) {
        calls[.client(client)] = nil
        for name in Switch.allCases { remove(.client(client), from: name) }
    }

    // MARK: what outlives the compositor

    /// The conditions that outlive all connections, one per line; empty without such conditions.
    package var keptText: String {
        var lines: [String] = []
        if let call = calls[.user] { lines.append("call \(call.rawValue)") }
        for name in Switch.allCases where switches[name]?.contains(.user) == true { lines.append(name.rawValue) }
        if hasLostDevice { lines.append("device-lost") }
        if let serverDevice { lines.append("device \(serverDevice)") }
        return lines.map { $0 + "\n" }.joined()
    }

    /// Parses ``keptText``. Returns `nil` if a line is invalid.
    package init?(parsing text: String) {
        // Split bytes instead of characters: a name may begin with a combining mark, which would form one character
        // with the space before it.
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
            let words = line.split(separator: UInt8(ascii: " "), maxSplits: 1).map {
                String(decoding: $0, as: UTF8.self)
            }
            switch (words.first ?? "", words.dropFirst().first) {
            case ("call", let name?):
                guard let call = Call(rawValue: name) else { return nil }
                calls[.user] = call
            case ("device", let name?):
                guard Self.isName(name) else { return nil }
                serverDevice = name
            case ("device-lost", nil): hasLostDevice = true
            case (let name, nil):
                guard let known = Switch(rawValue: name) else { return nil }
                switches[known] = [.user]
            default: return nil
            }
        }
    }

    /// Returns whether a device name can be stored on a line of the file. Programs choose the names, so they are
    /// validated.
    private static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= nameLimit && name.utf8.first != UInt8(ascii: " ")
            && !name.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
    }

    private static let nameLimit = 256
}

extension AudioArbiter.Call {
    init(_ call: SystemState.Call?) {
        self =
            switch call {
            case nil: .none
            case .banner: .ringing(isBanner: true)
            case .fullScreen: .ringing(isBanner: false)
            case .accepted: .accepted
            }
    }
}
