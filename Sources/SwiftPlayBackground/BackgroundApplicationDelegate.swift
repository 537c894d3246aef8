import FoundationEssentials

/// A function that a program calls once when it has handled a fetch or a notification.
public typealias FetchCompletionHandler = @Sendable (BackgroundFetchResult) -> Void

/// The delegate of a program that the service starts. Its methods are called on the main thread.
@MainActor
public protocol BackgroundApplicationDelegate: AnyObject, Sendable {
    /// The service has started the program, because a session has events.
    ///
    /// Create a ``BackgroundURLSession`` with the identifier; its delegate receives the events. Keep the completion
    /// handler, and call it in ``BackgroundURLSessionDelegate/urlSessionDidFinishEvents(forBackgroundURLSession:)``.
    /// The program may exit then.
    func application(
        handleEventsForBackgroundURLSession identifier: String, completionHandler: @escaping @Sendable () -> Void)

    /// The program fetches new content, because the user is expected to open it soon.
    ///
    /// Call the completion handler within 25 s, on any thread. It returns when the service has stored the result; if
    /// ``BackgroundApplication/isBackgroundStart`` is true and the program is not open, the program may exit then.
    func application(performFetchWithCompletionHandler completionHandler: @escaping FetchCompletionHandler)

    /// A notification has arrived. It is repeated until the completion handler was called, for example after a crash.
    ///
    /// The completion handler is that of ``application(performFetchWithCompletionHandler:)``. After
    /// ``BackgroundApplication/registerForRemoteNotifications(keys:)``, notifications of servers are decrypted.
    func application(
        didReceiveRemoteNotification notification: RemoteNotification,
        fetchCompletionHandler completionHandler: @escaping FetchCompletionHandler)

    /// The program can receive notifications from its server: send it the endpoint.
    ///
    /// The method is called after each ``BackgroundApplication/registerForRemoteNotifications()``, and when the
    /// endpoint has changed. Whoever knows the endpoint can send notifications to the program.
    func application(didRegisterForRemoteNotificationsWithEndpoint endpoint: URL)

    /// The program receives no notifications from its server.
    func application(didFailToRegisterForRemoteNotificationsWithError error: RemoteNotificationError)

    /// A fetch, a notification or the events of sessions for which the program was started have taken 25 s: finish
    /// within 5 s. A program that the service has started is terminated then.
    func applicationBackgroundTimeWillExpire()
}

extension BackgroundApplicationDelegate {
    /// Ignores the events; the next session with the identifier receives them.
    public func application(
        handleEventsForBackgroundURLSession identifier: String, completionHandler: @escaping @Sendable () -> Void
    ) { completionHandler() }

    /// Reports that there is no new content.
    public func application(performFetchWithCompletionHandler completionHandler: @escaping FetchCompletionHandler) {
        completionHandler(.noData)
    }

    /// Ignores the notification.
    public func application(
        didReceiveRemoteNotification notification: RemoteNotification,
        fetchCompletionHandler completionHandler: @escaping FetchCompletionHandler
    ) { completionHandler(.noData) }

    /// Does nothing.
    public func application(didRegisterForRemoteNotificationsWithEndpoint endpoint: URL) {}

    /// Does nothing.
    public func application(didFailToRegisterForRemoteNotificationsWithError error: RemoteNotificationError) {}

    /// Does nothing.
    public func applicationBackgroundTimeWillExpire() {}
}
