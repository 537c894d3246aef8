import AudioPolicy
import CompositorProtocol

/// The system-wide conditions (phone calls, the silent switch, the screen lock) and their owners. A pure value.
///
/// A reset of media services does not change these conditions. ``persistentText`` passes them to the next compositor.
package struct SystemState: Equatable, Sendable {
    /// The owner of a condition: the user or program that announced it.
    package enum Owner: Hashable, Sendable {
        /// The user, with a command: the condition lasts until another command ends it.
        case user
        /// A program: the condition ends when the program's connection ends, if not earlier.
        case client(UInt64)
    }

    /// The state of a phone call. Later cases are further in the course of a call.
    package enum PhoneCall: String, CaseIterable, Comparable, Sendable {
        /// An incoming phone call is shown as a banner.
        case banner
        /// An incoming phone call is shown full-screen.
        case fullScreen = "full-screen"
        /// The user has accepted the phone call.
        case accepted

        /// Returns whether `one` is an earlier state than `other`.
        package static func < (one: PhoneCall, other: PhoneCall) -> Bool { one.rank < other.rank }
        /// The position of the state in the course of a call.
        private var rank: Int {
            switch self {
            case .banner: 1
            case .fullScreen: 2
            case .accepted: 3
            }
        }
    }

    /// A condition that is on or off: the silent switch, the screen lock, or a video call.
    package enum ToggleCondition: String, CaseIterable, Sendable {
        /// The silent switch is on (`silent`), or the screen is locked (`lock`).
        case silent, lock
        /// A video call occupies the screen.
        case videoCall = "video-call"
    }

    /// The announced phone calls by their owners.
    private var phoneCalls: [Owner: PhoneCall] = [:]
    /// The owners of each condition that is on.
    private var toggleOwners: [ToggleCondition: Set<Owner>] = [:]
    /// The name of the sound server's device that a program announced; `nil` if no device was announced.
    package private(set) var serverDevice: String?
    /// Whether the only remaining audio device was removed and no other device has been added since.
    package var hasLostDevice = false

    /// Creates a state without conditions.
    package init() {}

    /// The state of the phone call; `nil` without one. Of several announced calls, the state that is furthest in the
    /// course of a call counts.
    package var phoneCall: PhoneCall? { phoneCalls.values.max() }
    /// Whether the silent switch is on.
    package var isSilent: Bool { isOn(.silent) }
    /// Whether the screen is locked.
    package var isLocked: Bool { isOn(.lock) }
    /// Whether a video call occupies the screen, which hides floating windows.
    package var isInVideoCall: Bool { isOn(.videoCall) }
    /// Whether a phone call, the silent switch, the screen lock or a video call is in effect. Such a condition also
    /// affects programs that start later, so the compositor must not exit when idle.
    package var hasActiveCondition: Bool { phoneCall != nil || ToggleCondition.allCases.contains(where: isOn) }

    /// The connection numbers of the programs that announced a current condition.
    var announcingPrograms: Set<UInt64> {
        Set(
            Set(phoneCalls.keys).union(toggleOwners.values.joined()).compactMap {
                if case .client(let id) = $0 { id } else { nil }
            })
    }

    /// Returns whether at least one owner has switched a condition on.
    private func isOn(_ condition: ToggleCondition) -> Bool { toggleOwners[condition]?.isEmpty == false }

    // MARK: Events

    /// Handles an event. A user's command overrides the announcements of programs; a program changes only its own
    /// announcements.
    package mutating func handle(_ event: SystemRequest, from owner: Owner) {
        switch event {
        case .callArrived(let isBanner):
            phoneCalls[owner] = max(phoneCalls[owner] ?? .banner, isBanner ? .banner : .fullScreen)
        case .callAccepted:
            for callOwner in phoneCalls.keys where callOwner == owner || owner == .user {
                phoneCalls[callOwner] = .accepted
            }
        case .callEnded: if owner == .user { phoneCalls = [:] } else { phoneCalls[owner] = nil }
        case .silentSwitch(let isOn): set(.silent, isOn, owner)
        case .screenLock(let isOn): set(.lock, isOn, owner)
        case .videoCall(let isOn): set(.videoCall, isOn, owner)
        // The sound server's device does not depend on the program that announced it, so it has no owner.
        case .deviceLost: serverDevice = nil
        case .deviceAdded(let name), .deviceChosen(let name): serverDevice = Self.isValidName(name) ? name : nil
        case .resetMediaServices, .listSessions, .listPrograms, .listMemory, .close, .listPictures,
            .watchPrograms:
            break
        }
    }

    /// Switches a condition on or off for an owner; the user switches it off for all owners.
    private mutating func set(_ condition: ToggleCondition, _ isOn: Bool, _ owner: Owner) {
        if isOn {
            toggleOwners[condition, default: []].insert(owner)
        } else if owner == .user {
            toggleOwners[condition] = nil
        } else {
            remove(owner, from: condition)
        }
    }

    /// Removes an owner of a condition.
    private mutating func remove(_ owner: Owner, from condition: ToggleCondition) {
        toggleOwners[condition]?.remove(owner)
        if toggleOwners[condition]?.isEmpty == true { toggleOwners[condition] = nil }
    }

    /// Ends all conditions that a program announced.
    package mutating func endConditions(of client: UInt64) {
        phoneCalls[.client(client)] = nil
        for condition in ToggleCondition.allCases { remove(.client(client), from: condition) }
    }

    // MARK: Persistence

    /// The text of the conditions that outlive all connections, one condition per line; empty without such conditions.
    package var persistentText: String {
        var lines: [String] = []
        if let call = phoneCalls[.user] { lines.append("call \(call.rawValue)") }
        for condition in ToggleCondition.allCases where toggleOwners[condition]?.contains(.user) == true {
            lines.append(condition.rawValue)
        }
        if hasLostDevice { lines.append("device-lost") }
        if let serverDevice { lines.append("device \(serverDevice)") }
        return lines.map { $0 + "\n" }.joined()
    }

    /// Parses text in the format of ``persistentText``. Returns `nil` if a line is invalid.
    package init?(parsing text: String) {
        // Split bytes instead of characters: a device name may begin with a combining mark, which would form one
        // character with the space before it.
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
            let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 1).map {
                String(decoding: $0, as: UTF8.self)
            }
            switch (fields.first ?? "", fields.dropFirst().first) {
            case ("call", let name?):
                guard let call = PhoneCall(rawValue: name) else { return nil }
                phoneCalls[.user] = call
            case ("device", let name?):
                guard Self.isValidName(name) else { return nil }
                serverDevice = name
            case ("device-lost", nil): hasLostDevice = true
            case (let name, nil):
                guard let condition = ToggleCondition(rawValue: name) else { return nil }
                toggleOwners[condition] = [.user]
            default: return nil
            }
        }
    }

    /// Returns whether a device name can be stored on a line of the file. Programs choose the names, so they are
    /// validated.
    private static func isValidName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= nameByteLimit && name.utf8.first != UInt8(ascii: " ")
            && !name.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
    }

    /// The largest size of a device name, in bytes of UTF-8.
    private static let nameByteLimit = 256
}

extension AudioArbiter.PhoneCall {
    /// Converts the state of the system's phone call for the audio arbiter; `nil` means no phone call.
    init(_ call: SystemState.PhoneCall?) {
        self =
            switch call {
            case nil: .none
            case .banner: .ringing(isBanner: true)
            case .fullScreen: .ringing(isBanner: false)
            case .accepted: .accepted
            }
    }
}
