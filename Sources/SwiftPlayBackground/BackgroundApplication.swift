import BackgroundProtocol
import Glibc
import SystemCalls

/// The program as the service for background transfers knows it.
///
/// Configure the application before the first session is created:
///
///     BackgroundApplication.shared.configure(
///         identifier: "org.example.podcasts", launchArguments: ["--background"], delegate: delegate)
public final class BackgroundApplication: Sendable {
    /// The application of this process.
    public static let shared = BackgroundApplication()

    private struct State {
        var identifier: String?
        var launchArguments: [String]?
        var modes: Modes = []
        weak var delegate: (any BackgroundApplicationDelegate)?
        /// The sessions whose events wait for a delegate.
        var waitingIdentifiers: [String] = []
        /// The sessions whose completion handler was not called yet.
        var openIdentifiers: Set<String> = []
    }

    private let state = Monitor(State())
    /// The state of fetches and notifications.
    let wakes: Monitor<WakeState>

    /// Whether the service has started the program, so that no user has opened it: show no window.
    public let isBackgroundStart: Bool

    private init() {
        isBackgroundStart = getenv("SWIFTPLAY_BACKGROUND_START") != nil
        // The variable must not reach the programs that this program starts.
        unsetenv("SWIFTPLAY_BACKGROUND_START")
        wakes = Monitor(WakeState(isInForeground: !isBackgroundStart))
    }

    /// Sets how the service knows and starts the program.
    ///
    /// - Parameters:
    ///   - identifier: A name that is the same in every run and unique for the user, such as `org.example.podcasts`.
    ///   - launchArguments: The arguments with which the running executable file is started when a session has events;
    ///     nil if the program must not be started.
    ///   - modes: Further reasons for which the service starts the program: fetches and notifications.
    ///   - delegate: The delegate. It is not retained.
    @MainActor
    public func configure(
        identifier: String, launchArguments: [String]?, modes: Modes = [], delegate: any BackgroundApplicationDelegate
    ) {
        state.withLock { state in
            state.identifier = identifier
            state.launchArguments = launchArguments
            state.modes = modes
            state.delegate = delegate
        }
        // The connection reports which sessions have events, and that the program runs.
        if isBackgroundStart || launchArguments != nil { _ = BackgroundConnection.shared }
        if !modes.isEmpty { reportPresence() }
        let identifiers = state.withLock { state in
            defer { state.waitingIdentifiers = [] }
            return state.waitingIdentifiers
        }
        for identifier in identifiers { handleEventsWaiting(identifier) }
    }

    /// The description of the program for the service.
    var program: ProgramDescription {
        state.withLock { state in
            var program = ProgramDescription(
                name: state.identifier ?? FilePath(cString: "/proc/self/exe").resolved?.text ?? "unknown program",
                launchArguments: state.launchArguments, isBackgroundStart: isBackgroundStart)
            program.modes = BackgroundModes(rawValue: state.modes.rawValue)
            return program
        }
    }

    /// The delegate; nil if it was released.
    var delegate: (any BackgroundApplicationDelegate)? { state.withLock { $0.delegate } }

    /// Calls the delegate on the main thread.
    func handleEventsWaiting(_ identifier: String) {
        Task { @MainActor in
            let delegate = state.withLock { state -> (any BackgroundApplicationDelegate)? in
                guard let delegate = state.delegate else {
                    if !state.waitingIdentifiers.contains(identifier) { state.waitingIdentifiers.append(identifier) }
                    return nil
                }
                // A service that has crashed reports the events again, which the delegate handles already.
                return state.openIdentifiers.insert(identifier).inserted ? delegate : nil
            }
            delegate?.application(handleEventsForBackgroundURLSession: identifier) { [self] in
                state.withLock { _ = $0.openIdentifiers.remove(identifier) }
                BackgroundConnection.shared.handleEventsHandled(identifier)
                handleCompletedWork()
            }
        }
    }
}

extension BackgroundApplication {
    /// The reasons for which the service may start the program in the background, as `UIBackgroundModes` in the
    /// information property list of Apple's programs.
    public struct Modes: OptionSet, Sendable {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The program is fetched shortly before it is opened, after ``setMinimumBackgroundFetchInterval(_:)``.
        public static let fetch = Modes(rawValue: BackgroundModes.fetch.rawValue)
        /// The program receives notifications.
        public static let remoteNotification = Modes(rawValue: BackgroundModes.remoteNotification.rawValue)
    }
}
