import Dispatch

// scripts/build-release defines SWIFTPLAY_WITHOUT_NOTIFICATION_CENTER, because Foundation would add 40 MB of Unicode
// data to each program.
#if !SWIFTPLAY_WITHOUT_NOTIFICATION_CENTER
    import Foundation

    /// The notifications that the program receives through Foundation's `NotificationCenter`.
    extension Application {
        /// Posted on the main queue after ``role`` has changed; the object is ``shared``.
        public static let roleDidChangeNotification = Notification.Name("SwiftPlayApplicationRoleDidChange")
        /// Posted on the main queue when the program is no longer ``ApplicationRole/primary``
        /// (UIApplication.willResignActiveNotification).
        public static let willResignActiveNotification = Notification.Name("SwiftPlayApplicationWillResignActive")
        /// Posted on the main queue when no window of the program is on the screen any more
        /// (UIApplication.didEnterBackgroundNotification).
        public static let didEnterBackgroundNotification = Notification.Name("SwiftPlayApplicationDidEnterBackground")
        /// Posted on the main queue when a window of the program is on the screen again
        /// (UIApplication.willEnterForegroundNotification).
        public static let willEnterForegroundNotification = Notification.Name(
            "SwiftPlayApplicationWillEnterForeground")
        /// Posted on the main queue when the program has become ``ApplicationRole/primary``
        /// (UIApplication.didBecomeActiveNotification).
        public static let didBecomeActiveNotification = Notification.Name("SwiftPlayApplicationDidBecomeActive")
        /// Posted on the main queue when memory is short, and again every 10 s (`warning`) or 2 s (`critical`) while it
        /// stays short (UIApplication.didReceiveMemoryWarningNotification). ``memoryPressure`` states how short it is.
        ///
        /// Release caches as a whole. Do not search them for parts to release: reading memory that the kernel has
        /// swapped out needs more memory first.
        public static let didReceiveMemoryWarningNotification = Notification.Name(
            "SwiftPlayApplicationDidReceiveMemoryWarning")
        /// Posted on the main queue when the program must exit because memory is short
        /// (UIApplication.willTerminateNotification). Save what the user must not lose, and exit within 2 s.
        public static let willTerminateNotification = Notification.Name("SwiftPlayApplicationWillTerminate")

        /// The name of an event's notification.
        private static func notificationName(of event: ApplicationEvent) -> Notification.Name {
            switch event {
            case .willResignActive: willResignActiveNotification
            case .didEnterBackground: didEnterBackgroundNotification
            case .willEnterForeground: willEnterForegroundNotification
            case .didBecomeActive: didBecomeActiveNotification
            case .roleDidChange: roleDidChangeNotification
            case .didReceiveMemoryWarning: didReceiveMemoryWarningNotification
            case .willTerminate: willTerminateNotification
            }
        }

        /// Posts the notifications of `events` in order, on the main queue.
        static func postNotifications(of events: [ApplicationEvent]) {
            DispatchQueue.main.async {
                for event in events {
                    NotificationCenter.default.post(name: notificationName(of: event), object: shared)
                }
            }
        }
    }
#else
    extension Application {
        /// Does nothing: this build has no `NotificationCenter`.
        static func postNotifications(of events: [ApplicationEvent]) {}
    }
#endif
