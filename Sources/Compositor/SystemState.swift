import AudioPolicy
import CompositorProtocol

/// The conditions that hold for the whole machine (calls, the silent switch, the lock), and who announced each of them.
/// A pure value.
///
/// Resetting media services does not change it. ``keptText`` outlives the compositor.
package struct SystemState: Equatable, Sendable {
    /// Who announced a condition.
    package enum Owner: Hashable, Sendable {
        /// A user's command: the condition holds until another command ends it.
        case user
        /// A program: the condition ends with the program's connection at the latest.
        case client(UInt64)
    }

    package enum Call: String, CaseIterable, Comparable, Sendable {
        case banner
        case fullScreen = "full-screen"
        case accepted

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
    /// The name of the device that a sound server plays on, as the last `deviceAdded` told; nil: nobody told of one.
    package private(set) var serverDevice: String?
    /// The last device was removed and no other has been added since.
    package var hasLostDevice = false

    package init() {}

    /// The call that is furthest on; nil: there is none.
    package var call: Call? { calls.values.max() }
    package var isSilent: Bool { isOn(.silent) }
    package var isLocked: Bool { isOn(.lock) }
    package var isVideoCalled: Bool { isOn(.videoCall) }
    /// A call, a switch or the lock decides about programs to come: the compositor must not exit for idleness.
    package var isUnderRule: Bool { call != nil || Switch.allCases.contains(where: isOn) }

    /// The programs that announced a condition that holds.
    var holders: Set<UInt64> {
        Set(
            Set(calls.keys).union(switches.values.joined()).compactMap {
                if case .client(let id) = $0 { id } else { nil }
            })
    }

    private func isOn(_ name: Switch) -> Bool { switches[name]?.isEmpty == false }

    // MARK: events

    /// Takes in an event. A user's command overrides what programs announced; a program changes only its own
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
        // A device is where it is, whoever told of it.
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

    /// Ends everything that a program announced.
    package mutating func connectionEnded(_ client: UInt64) {
        calls[.client(client)] = nil
        for name in Switch.allCases { remove(.client(client), from: name) }
    }

    // MARK: what outlives the compositor

    /// The conditions that no connection ends, a line for each; empty: there are none.
    package var keptText: String {
        var lines: [String] = []
        if let call = calls[.user] { lines.append("call \(call.rawValue)") }
        for name in Switch.allCases where switches[name]?.contains(.user) == true { lines.append(name.rawValue) }
        if hasLostDevice { lines.append("device-lost") }
        if let serverDevice { lines.append("device \(serverDevice)") }
        return lines.map { $0 + "\n" }.joined()
    }

    /// Reads ``keptText``.
    ///
    /// - Returns: nil when a line is not one that ``keptText`` writes.
    package init?(parsing text: String) {
        // By bytes: a name may begin with a combining mark, which makes one character with the space before it.
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

    /// Programs choose the names of devices: one that does not fit on a line is not remembered.
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
