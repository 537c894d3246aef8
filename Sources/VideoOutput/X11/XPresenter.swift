import CXCB
import SystemCalls

/// How pictures come on screen through the X Present extension (`presentproto`): with word of when that was, and where
/// a screen refreshes at a rate of its own, between two refreshes.
package enum XPresentMode: String, Sendable, CaseIterable {
    /// Between two refreshes where the screen has them; at once elsewhere (a virtual screen).
    case auto
    /// Always between two refreshes.
    case yes
    /// Without the extension.
    case no
}

/// Gives one window's pictures to the X Present extension and hears what became of them.
///
/// Owned by one ``XSurface`` and touched under its lock only. Its events come by a queue of their own, whoever reads
/// the connection.
final class XPresenter {
    /// Pictures wait for the screen's refresh.
    let isSynchronised: Bool
    private let connection: XConnection
    private let window: xcb_window_t
    private let events: OpaquePointer
    private var serial: UInt32 = 0
    /// Given and not yet on screen: serial and host time.
    private var waiting: [(serial: UInt32, given: Int64)] = []
    private var reports: [PresentFeedback] = []
    /// Pixmaps the server still reads.
    private var busy: Set<xcb_pixmap_t> = []

    /// So many are remembered, of those nobody asked for or that the server never reported.
    private static let limit = 16

    /// Nil where the extension or shared pixmaps are missing, or are not wanted.
    init?(connection: XConnection, window: xcb_window_t, mode: XPresentMode) {
        guard mode != .no, connection.sharesPixmaps else { return nil }
        let c = connection.pointer
        guard let extensionData = xcb_get_extension_data(c, cxcb_present_extension()),
            extensionData.pointee.present != 0,
            let version = xcb_present_query_version_reply(c, xcb_present_query_version(c, 1, 0), nil)
        else { return nil }
        free(version)
        // No capability at all: the server has no screen behind it and its refresh is only a timer.
        guard let answer = xcb_present_query_capabilities_reply(c, xcb_present_query_capabilities(c, window), nil)
        else { return nil }
        isSynchronised = mode == .yes || answer.pointee.capabilities != 0
        free(answer)
        let id = connection.newID()
        let mask = XCB_PRESENT_EVENT_MASK_COMPLETE_NOTIFY.rawValue | XCB_PRESENT_EVENT_MASK_IDLE_NOTIFY.rawValue
        xcb_present_select_input(c, id, window, mask)
        guard let events = xcb_register_for_special_xge(c, cxcb_present_extension(), id, nil) else { return nil }
        self.events = events
        self.connection = connection
        self.window = window
    }

    deinit { xcb_unregister_for_special_event(connection.pointer, events) }

    /// Hands `pixmap` over to be shown in the window's upper left corner.
    func present(_ pixmap: xcb_pixmap_t) {
        serial &+= 1
        busy.insert(pixmap)
        if waiting.count >= Self.limit { waiting.removeFirst() }
        waiting.append((serial, MonotonicTime.now))
        // Copied, not flipped: the pixels are free again as soon as they are on screen.
        var options = XCB_PRESENT_OPTION_COPY.rawValue
        if !isSynchronised { options |= XCB_PRESENT_OPTION_ASYNC.rawValue }
        xcb_present_pixmap(connection.pointer, window, pixmap, serial, 0, 0, 0, 0, 0, 0, 0, options, 0, 0, 0, 0, nil)
    }

    /// Whether the server has done with `pixmap`.
    func isFree(_ pixmap: xcb_pixmap_t) -> Bool {
        if busy.contains(pixmap) { readEvents() }
        return !busy.contains(pixmap)
    }

    /// Nothing of a window that is hidden or gone is waited for.
    func forget(_ pixmap: xcb_pixmap_t) { busy.remove(pixmap) }

    /// What came on screen since this was asked last, in order.
    func takeReports() -> [PresentFeedback] {
        readEvents()
        defer { reports = [] }
        return reports
    }

    private func readEvents() {
        while let event = xcb_poll_for_special_event(connection.pointer, events) {
            defer { free(event) }
            event.withMemoryRebound(to: xcb_present_generic_event_t.self, capacity: 1) { generic in
                switch Int32(generic.pointee.evtype) {
                case XCB_PRESENT_COMPLETE_NOTIFY:
                    event.withMemoryRebound(to: xcb_present_complete_notify_event_t.self, capacity: 1) {
                        completed($0.pointee)
                    }
                case XCB_PRESENT_IDLE_NOTIFY:
                    event.withMemoryRebound(to: xcb_present_idle_notify_event_t.self, capacity: 1) {
                        _ = busy.remove($0.pointee.pixmap)
                    }
                default: break
                }
            }
        }
    }

    private func completed(_ event: xcb_present_complete_notify_event_t) {
        guard let index = waiting.firstIndex(where: { $0.serial == event.serial }) else { return }
        let given = waiting[index].given
        waiting.removeSubrange(...index)
        // Microseconds of the same clock. A picture that was left out in favour of the next was never on screen.
        guard UInt32(event.mode) != XCB_PRESENT_COMPLETE_MODE_SKIP.rawValue, let micros = Int64(exactly: event.ust),
            case (let shown, let overflow) = micros.multipliedReportingOverflow(by: 1000), !overflow
        else { return }
        if reports.count >= Self.limit { reports.removeFirst() }
        reports.append(PresentFeedback(given: given, shown: max(shown, given), isSynchronised: isSynchronised))
    }
}
