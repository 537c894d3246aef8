import Dispatch
import Foundation

/// The end of the program as the last resort when memory is short.
extension Application {
    /// Whether the compositor process may end the program when memory stays critically short; false by default
    /// (NSProcessInfo.enableSuddenTermination has a similar meaning).
    ///
    /// Set it if the program can be started again without a loss. The user can permit it for all programs
    /// (`end-programs` in `compositor.conf`). The compositor ends the least important program first, and only programs
    /// that use more memory than their role permits. It posts ``willTerminateNotification``; after 2 s the process
    /// receives SIGTERM, and after 2 more seconds SIGKILL.
    public var isRestartable: Bool {
        get { link.isRestartable }
        set { link.setIsRestartable(newValue) }
    }

    /// Posted on the main queue when the program must exit because memory is short
    /// (UIApplication.willTerminateNotification). Save what the user must not lose, and exit within 2 s.
    public static let willTerminateNotification = Notification.Name("SwiftPlayApplicationWillTerminate")

    /// Posts the notification that the program must exit.
    static func postExitRequest() {
        DispatchQueue.main.async { NotificationCenter.default.post(name: willTerminateNotification, object: shared) }
    }
}
