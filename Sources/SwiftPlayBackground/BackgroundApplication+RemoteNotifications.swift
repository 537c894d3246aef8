import BackgroundProtocol
import FoundationEssentials

extension BackgroundApplication {
    /// Registers the program for notifications from its server, as `registerForRemoteNotifications` on Apple's systems.
    ///
    /// Call it at each start, after ``configure(identifier:launchArguments:modes:delegate:)`` with the mode
    /// ``Modes/remoteNotification``. The delegate receives an endpoint, an address of the user's distributor
    /// (https://unifiedpush.org); the server of the program sends a notification by a `POST` request with 1 to 4096
    /// bytes to that address. The registration remains when the program ends.
    public func registerForRemoteNotifications() { register(.registerForNotifications(true), keys: nil) }

    /// Registers the program as ``registerForRemoteNotifications()`` does, for notifications that its server encrypts
    /// (Web Push, RFC 8291).
    ///
    /// Call it in the same turn of the main thread as
    /// ``configure(identifier:launchArguments:modes:delegate:)``, because a notification may wait already. Send the
    /// server the endpoint with ``RemoteNotificationKeys/publicKey`` and
    /// ``RemoteNotificationKeys/authenticationSecret``. A notification of a server that was not encrypted for the keys
    /// is not delivered: it is logged and counts as failed. Notifications of programs of the same user need no
    /// encryption.
    public func registerForRemoteNotifications(keys: RemoteNotificationKeys) {
        register(.registerForEncryptedNotifications, keys: keys)
    }

    private func register(_ command: ClientCommand, keys: RemoteNotificationKeys?) {
        wakes.withLock { $0.keys = keys?.keys }
        BackgroundConnection.shared.link.perform(command, standingName: "notifications") { [self] answer in
            guard case .failure(let error) = answer else { return }
            report(RemoteNotificationError(code: .refusedByService, description: "\(error)"))
        }
    }

    /// Ends the registration; the endpoint becomes invalid. The keys remain for notifications that have arrived.
    public func unregisterForRemoteNotifications() {
        BackgroundConnection.shared.link.perform(.registerForNotifications(false), standingName: "notifications")
    }

    /// Calls the delegate with the result of a registration.
    func handleRegistration(_ result: RegistrationResult) {
        switch result {
        case .endpoint(let text):
            guard let url = URL(string: text) else {
                return report(
                    RemoteNotificationError(
                        code: .refusedByDistributor, description: "the endpoint of the distributor is not an address"))
            }
            Task { @MainActor in delegate?.application(didRegisterForRemoteNotificationsWithEndpoint: url) }
        case .noDistributor:
            report(
                RemoteNotificationError(
                    code: .noDistributor,
                    description: "no distributor of notifications is installed; see https://unifiedpush.org"))
        case .refused(let reason):
            report(RemoteNotificationError(code: .refusedByDistributor, description: reason))
        }
    }

    private func report(_ error: RemoteNotificationError) {
        Task { @MainActor in delegate?.application(didFailToRegisterForRemoteNotificationsWithError: error) }
    }
}
