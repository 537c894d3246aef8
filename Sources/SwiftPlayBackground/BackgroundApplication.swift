import BackgroundProtocol
import Glibc
import SystemCalls

/// The delegate of a program that the service starts.
@MainActor
public protocol BackgroundApplicationDelegate: AnyObject, Sendable {
    /// The service has started the program, because a session has events.
    ///
    /// Create a ``BackgroundURLSession`` with the identifier; its delegate receives the events. Keep the completion
    /// handler, and call it in ``BackgroundURLSessionDelegate/urlSessionDidFinishEvents(forBackgroundURLSession:)``.
    /// The program may exit then.
    func application(
        handleEventsForBackgroundURLSession identifier: String, completionHandler: @escaping @Sendable () -> Void)
}

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
        weak var delegate: (any BackgroundApplicationDelegate)?
        /// The sessions whose events wait for a delegate.
        var waitingIdentifiers: [String] = []
    }

    private let state = Monitor(State())

    /// Whether the service has started the program, so that no user has opened it: show no window.
    public let isBackgroundStart: Bool

    private init() {
        isBackgroundStart = getenv("SWIFTPLAY_BACKGROUND_START") != nil
        // The variable must not reach the programs that this program starts.
        unsetenv("SWIFTPLAY_BACKGROUND_START")
    }

    /// Sets how the service knows and starts the program.
    ///
    /// - Parameters:
    ///   - identifier: A name that is the same in every run and unique for the user, such as `org.example.podcasts`.
    ///   - launchArguments: The arguments with which the running executable file is started when a session has events;
    ///     nil if the program must not be started.
    ///   - delegate: The delegate. It is not retained.
    @MainActor
    public func configure(
        identifier: String, launchArguments: [String]?, delegate: any BackgroundApplicationDelegate
    ) {
        state.withLock { state in
            state.identifier = identifier
            state.launchArguments = launchArguments
            state.delegate = delegate
        }
        // The connection reports which sessions have events.
        if isBackgroundStart { _ = BackgroundConnection.shared }
        let identifiers = state.withLock { state in
            defer { state.waitingIdentifiers = [] }
            return state.waitingIdentifiers
        }
        for identifier in identifiers { handleEventsWaiting(identifier) }
    }

    /// The description of the program for the service.
    var program: ProgramDescription {
        state.withLock { state in
            ProgramDescription(
                name: state.identifier ?? FilePath(cString: "/proc/self/exe").resolved?.text ?? "unknown program",
                launchArguments: state.launchArguments, isBackgroundStart: isBackgroundStart)
        }
    }

    /// Calls the delegate on the main thread.
    func handleEventsWaiting(_ identifier: String) {
        Task { @MainActor in
            let delegate = state.withLock { state in
                if state.delegate == nil, !state.waitingIdentifiers.contains(identifier) {
                    state.waitingIdentifiers.append(identifier)
                }
                return state.delegate
            }
            delegate?.application(handleEventsForBackgroundURLSession: identifier) {
                BackgroundConnection.shared.handleEventsHandled(identifier)
            }
        }
    }
}
