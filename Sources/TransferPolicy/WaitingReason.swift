/// The reason why a transfer waits. Every listing of transfers shows it.
///
/// Times are boot times: the time since the machine started, including suspension (`CLOCK_BOOTTIME`).
package enum WaitingReason: Hashable, Sendable {
    /// The machine is offline.
    case network
    /// The network has a sign-in page that the user has not passed yet.
    case portal
    /// A sign-in page has answered instead of the server, although the system reports none; the transfer looks again.
    case signInPage(until: Duration)
    /// The network is metered, and the transfer may not use a metered network.
    case metered
    /// The battery is too low, or the desktop saves power, and the transfer is discretionary.
    case power
    /// The earliest begin of the transfer has not come.
    case time(until: Duration)
    /// The server's host, the program or the machine has as many running transfers as permitted, or the host asked for
    /// fewer requests.
    case hostSlots
    /// The disk or its quota is full, or the disk fails; the number is the system's error number.
    case disk(errorNumber: Int32)
    /// The file is complete, and cannot be checked or renamed now; the number is the system's error number.
    case publication(errorNumber: Int32)
    /// The program created the transfer while it was in the background, and was started often without the user.
    case relaunchDelay(until: Duration)
    /// An attempt failed for a temporary reason.
    case retry(until: Duration)
    /// The server or proxy requires credentials that the program must supply.
    case credentials

    /// Whether the reason follows from the state of the machine, as ``ConditionPolicy`` and ``AdmissionPolicy`` report
    /// it, and not from an attempt that failed.
    package var isCondition: Bool {
        switch self {
        case .network, .portal, .metered, .power, .time, .hostSlots, .relaunchDelay: true
        case .disk, .publication, .signInPage, .retry, .credentials: false
        }
    }

    /// Whether a running transfer stops for this reason. Other conditions only prevent a start.
    package var interruptsTransfers: Bool {
        switch self {
        case .network, .portal, .metered, .power: true
        case .signInPage, .time, .hostSlots, .disk, .publication, .relaunchDelay, .retry, .credentials: false
        }
    }

    /// The time at which the wait ends by itself, or nil.
    package var end: Duration? {
        switch self {
        case .signInPage(let end), .time(let end), .relaunchDelay(let end), .retry(let end): end
        case .network, .portal, .metered, .power, .hostSlots, .disk, .publication, .credentials: nil
        }
    }

    private var signInText: String { "waiting for the sign-in page of the network; open a web browser to pass it" }

    /// Returns the text of a listing, in one line.
    /// - Parameter now: the current boot time, from which the rest of a delay is computed.
    package func text(now: Duration) -> String {
        switch self {
        case .network: "waiting for a network connection"
        case .portal: signInText
        case .signInPage(let end): "\(signInText); looks again in \(DurationText.text(end - now))"
        case .metered: "waiting for a network that is not metered"
        case .power: "waiting for mains power or a fuller battery"
        case .time(let end): "begins in \(DurationText.text(end - now))"
        case .hostSlots: "waiting for its turn"
        case .disk(let errorNumber): "waiting for the disk: \(DiskErrorText.text(errorNumber))"
        case .publication(let errorNumber):
            "waiting for the disk with the whole file: \(DiskErrorText.text(errorNumber))"
        case .relaunchDelay(let end): "begins in \(DurationText.text(end - now)), or when the program is opened"
        case .retry(let end): "tries again in \(DurationText.text(end - now))"
        case .credentials: "waiting for the program to supply a user name and password"
        }
    }
}

/// The text of a remaining time, such as `40 s`, `5 min` or `2 h 10 min`.
package enum DurationText {
    /// Returns the text of a duration, rounded up to seconds below two minutes and to minutes above. Negative durations
    /// count as 0.
    package static func text(_ duration: Duration) -> String {
        let (wholeSeconds, attoseconds) = duration.components
        let seconds = wholeSeconds + (attoseconds > 0 ? 1 : 0)
        if seconds <= 0 { return "0 s" }
        if seconds < 120 { return "\(seconds) s" }
        let minutes = seconds / 60 + (seconds % 60 > 0 ? 1 : 0)
        if minutes < 120 { return "\(minutes) min" }
        let (hours, restMinutes) = minutes.quotientAndRemainder(dividingBy: 60)
        if hours < 48 { return restMinutes == 0 ? "\(hours) h" : "\(hours) h \(restMinutes) min" }
        return "\(minutes / (24 * 60)) days"
    }
}

/// The text of a system error of a disk, with its number.
package enum DiskErrorText {
    /// Returns the text of an error number of Linux.
    package static func text(_ errorNumber: Int32) -> String {
        switch errorNumber {
        case 5: "it reports an input/output error (EIO); check the disk"
        case 12: "memory is short (ENOMEM); close some programs"
        case 13: "the directory may not be written (EACCES); correct its permissions"
        case 23, 24: "too many files are open (ENFILE or EMFILE); close some programs"
        case 27: "the file system does not permit a file of this size (EFBIG)"
        case 28: "no space is left (ENOSPC); free some space"
        case 30: "it is mounted read-only (EROFS)"
        case 107, 110, 116: "its server does not answer (system error \(errorNumber)); check the network"
        case 122: "the quota is used up (EDQUOT); free some space"
        default: "system error \(errorNumber)"
        }
    }
}
