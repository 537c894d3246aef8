/// The options of a probe with sessions. Each stands before the addresses.
struct ProbeOptions {
    /// The call of `didFinishDownloadingTo` in which the program is killed, before it has moved the file; nil for none.
    var crashAt: Int?
    /// Whether every start is killed in the first call.
    var crashesAlways = false
    /// The call in which the first background start is killed; nil for none.
    var backgroundCrashAt: Int?
    /// Whether the program creates the transfers, does not resume them, and exits when they are stored.
    var storesOnly = false
    /// Whether the addresses are streams that are downloaded as packages.
    var downloadsStreams = false
    /// Whether the service chooses a good time for the transfers.
    var isDiscretionary = false
    /// The identifiers of the sessions that a start by the user creates. The addresses are divided among them.
    var sessions = ["probe"]
    /// Whether the program reads finished files and does not move them.
    var leavesFiles = false
    /// Whether each call of `didFinishDownloadingTo` waits for SIGUSR1.
    var waits = false
    /// Whether the program reports how many transfers it knows in its first call of `didFinishDownloadingTo`, and how
    /// many after its last event.
    var lists = false
    /// The call of `didFinishDownloadingTo` from which a background start never returns; nil for none.
    var backgroundHangAt: Int?
    /// The address that a background start downloads, too, in each call of `didFinishDownloadingTo`; nil for none.
    var nextAddress: String?
    /// How often it does that in each call.
    var nextCount = 1
    /// The SHA-256 digest that the files must have, in hexadecimal; nil for any.
    var digest: String?
    /// The file to which the program writes the resume data of its first download, which it cancels when bytes have
    /// arrived; nil for none.
    var setAsidePath: String?
    /// The file with the resume data of the download that the program continues; nil for none.
    var continuePath: String?
    /// Whether the sessions end with their transfers, or with their cancellation. The program exits then.
    var finishesSessions = false, cancelsSessions = false
    /// The options that a background start receives, too.
    private(set) var launchArguments: [String] = []
    /// The addresses.
    private(set) var addresses: [String] = []

    /// The names of the options that a background start receives, too.
    private static let launchOptions: Set<String> = [
        "crash-always", "crash-in-background", "leave", "wait", "list", "hang-in-background", "next",
        "next-count",
    ]

    /// Reads the arguments after the log and the folder.
    init(_ arguments: some Sequence<String>) {
        for argument in arguments {
            let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
            switch parts.first {
            case "crash-at": crashAt = parts.last.flatMap { Int($0) }
            case "crash-always": (crashAt, crashesAlways) = (1, true)
            case "crash-in-background": backgroundCrashAt = parts.last.flatMap { Int($0) }
            case "store-only": storesOnly = true
            case "streams": (downloadsStreams, sessions) = (true, ["streams"])
            case "discretionary": isDiscretionary = true
            case "sessions": sessions = parts.last?.split(separator: ",").map(String.init) ?? []
            case "no-sessions": sessions = []
            case "leave": leavesFiles = true
            case "wait": waits = true
            case "list": lists = true
            case "hang-in-background": backgroundHangAt = parts.last.flatMap { Int($0) }
            case "next": nextAddress = parts.last
            case "next-count": nextCount = parts.last.flatMap { Int($0) } ?? 1
            case "sha256": digest = parts.last
            case "set-aside": setAsidePath = parts.last
            case "continue": continuePath = parts.last
            case "finish-sessions": finishesSessions = true
            case "cancel-sessions": cancelsSessions = true
            default: addresses.append(argument)
            }
            if let name = parts.first, Self.launchOptions.contains(name) { launchArguments.append(argument) }
        }
    }
}
