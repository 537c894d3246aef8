import DesktopBus
import Logging
import PushPolicy
import SystemCalls

/// Shows the alerts of notifications to the user.
protocol BannerShowing: AnyObject {
    /// Shows an alert now.
    func show(_ alert: PushAlert, of program: String)
    /// Plans the banner of a notification that wakes its program: it follows the program's completion, or comes after
    /// 30 s.
    func add(_ alert: PushAlert, of program: String, id: Int64)
    /// Records that a program has completed a notification, or has ended.
    func handleCompletion(id: Int64)
    /// Drops a planned banner, because a newer notification has replaced it.
    func remove(id: Int64)
}

/// Shows banners by the notification server of the desktop (`org.freedesktop.Notifications`). Used by the service's
/// thread, whose event loop polls it. It never waits, and is connected only while a banner is sent.
final class BannerService: BannerShowing, EventSource {
    /// The most planned banners, and the most banners whose receipt the server has not confirmed.
    static let bannerLimit = 64

    /// A banner that waits for its program.
    private struct Banner {
        let id: Int64
        let alert: PushAlert
        let program: String
        var schedule: BannerSchedule
    }

    private let address: () -> String?
    private let logger: Logger
    /// Returns the host time.
    private let now: () -> Int64
    private var banners: [Banner] = []
    /// The connection to the session bus; nil while no banner is sent.
    private var connection: BusConnection?
    /// The number of banners whose receipt the server has not confirmed.
    private var unconfirmedCount = 0

    /// Creates a service without banners.
    init(
        address: @escaping () -> String? = { BusAddress.session }, logger: Logger,
        now: @escaping () -> Int64 = { MonotonicTime.now }
    ) { (self.address, self.logger, self.now) = (address, logger, now) }

    func add(_ alert: PushAlert, of program: String, id: Int64) {
        banners.removeAll { $0.id == id }
        if banners.count >= Self.bannerLimit {
            let oldest = banners.removeFirst()
            show(oldest.alert, of: oldest.program)
        }
        let schedule = BannerSchedule(wakesProgram: true, now: .nanoseconds(now()))
        banners.append(Banner(id: id, alert: alert, program: program, schedule: schedule))
    }

    func handleCompletion(id: Int64) { showBanners { $0.id == id && $0.schedule.handleCompletion() } }

    func remove(id: Int64) { banners.removeAll { $0.id == id } }

    /// Shows and forgets the banners for which a function returns true.
    private func showBanners(where isDue: (inout Banner) -> Bool) {
        var due: [Banner] = []
        banners.removeAll { banner in
            var banner = banner
            let isDue = isDue(&banner)
            if isDue { due.append(banner) }
            return isDue
        }
        for banner in due { show(banner.alert, of: banner.program) }
    }

    func show(_ alert: PushAlert, of program: String) {
        guard unconfirmedCount < Self.bannerLimit else {
            return logger.warning("a banner of \(program) was dropped: the desktop does not answer")
        }
        let defaultTime: Int32 = -1
        let call = BusConnection.Call(
            to: "org.freedesktop.Notifications", path: "/org/freedesktop/Notifications",
            interface: "org.freedesktop.Notifications", "Notify",
            [
                .string(program), .uint32(0), .string(""), .string(alert.title.isEmpty ? program : alert.title),
                .string(Self.escaped(alert.body)), .strings([]), .dictionary([:]), .int32(defaultTime),
            ])
        do throws(BusError) {
            let connection = if let open = self.connection { open } else { try BusConnection(address: address()) }
            self.connection = connection
            try connection.call(call, startsService: true) { [weak self] result in
                self?.unconfirmedCount -= 1
                if case .failure(let error) = result { self?.logger.warning("no banner of \(program): \(error)") }
            }
            unconfirmedCount += 1
        } catch { logger.warning("no banner of \(program): \(error)") }
    }

    /// Returns a text without markup: servers may read the body of a notification as a subset of HTML.
    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }

    // MARK: Polling

    var entries: [Poll.Entry] { connection.map { [Poll.Entry($0.descriptor, $0.events)] } ?? [] }
    var deadline: Int64? {
        ([connection?.deadline] + banners.map(\.schedule.deadline.clampedNanoseconds)).compactMap { $0 }.min()
    }

    func process(_ ready: ArraySlice<Poll.Entry>, now: Int64) {
        showBanners { $0.schedule.checkTime(now: .nanoseconds(now)) }
        do throws(BusError) { try connection?.process() } catch {
            logger.warning("the session bus was lost: \(error)")
            (connection, unconfirmedCount) = (nil, 0)
        }
        if unconfirmedCount == 0 { connection = nil }
    }
}
