import CXCB
import SystemCalls

/// The use of the X Present extension (`presentproto`), which reports when a picture was shown and can synchronise
/// pictures with the screen's refresh.
package enum XPresentMode: String, Sendable, CaseIterable {
    /// Each picture waits for the screen's refresh; on a virtual screen, which has no refresh, it is shown immediately.
    case auto
    /// Each picture waits for the screen's refresh, even on a virtual screen.
    case yes
    /// The Present extension is not used.
    case no
}

/// An object that shows the pictures of one window through the X Present extension, and collects the server's reports
/// about these pictures.
///
/// One ``XSurface`` owns this object and uses it only under the surface's lock. XCB puts Present events into a separate
/// queue, whichever thread reads the connection.
final class XPresenter {
    /// Whether pictures wait for the screen's refresh.
    let isSynchronised: Bool
    /// The connection to the X server.
    private let connection: XConnection
    /// The window that shows the pictures.
    private let window: xcb_window_t
    /// XCB's queue of Present events for the window.
    private let events: OpaquePointer
    /// The serial number of the picture that was sent most recently; 0 before the first picture.
    private var serial: UInt32 = 0
    /// The pictures that were sent and not yet reported as shown, each with its serial number and the host time of
    /// sending.
    private var pendingPictures: [(serial: UInt32, submittedTime: Int64)] = []
    /// The reports about shown pictures that ``takeReports()`` has not returned yet.
    private var reports: [PresentFeedback] = []
    /// The pixmaps that the server still reads, each with the serial number under which it was last sent. A pixmap that
    /// was sent twice is read twice, and the server reports each time.
    private var busyPixmaps: [xcb_pixmap_t: UInt32] = [:]

    /// The maximum number of pending pictures (the server may never report some of them), and of unread reports.
    private static let queueLimit = 16

    /// Sets the Present extension up for a window; nil if `mode` is `no`, or the server lacks the extension or shared
    /// pixmaps.
    init?(connection: XConnection, window: xcb_window_t, mode: XPresentMode) {
        guard mode != .no, connection.acceptsSharedPixmaps else { return nil }
        let xcb = connection.pointer
        guard let extensionData = xcb_get_extension_data(xcb, cxcb_present_extension()),
            extensionData.pointee.present != 0,
            let version = xcb_present_query_version_reply(xcb, xcb_present_query_version(xcb, 1, 0), nil)
        else { return nil }
        free(version)
        // A server whose Present extension has no capabilities has no real screen. Its refresh is only a timer, so do
        // not wait for it.
        guard let reply = xcb_present_query_capabilities_reply(xcb, xcb_present_query_capabilities(xcb, window), nil)
        else { return nil }
        isSynchronised = mode == .yes || reply.pointee.capabilities != 0
        free(reply)
        let id = connection.newID()
        let mask = XCB_PRESENT_EVENT_MASK_COMPLETE_NOTIFY.rawValue | XCB_PRESENT_EVENT_MASK_IDLE_NOTIFY.rawValue
        xcb_present_select_input(xcb, id, window, mask)
        guard let events = xcb_register_for_special_xge(xcb, cxcb_present_extension(), id, nil) else { return nil }
        self.events = events
        self.connection = connection
        self.window = window
    }

    deinit { xcb_unregister_for_special_event(connection.pointer, events) }

    /// Shows `pixmap` in the window's upper left corner.
    func present(_ pixmap: xcb_pixmap_t) {
        serial &+= 1
        busyPixmaps[pixmap] = serial
        if pendingPictures.count >= Self.queueLimit { pendingPictures.removeFirst() }
        pendingPictures.append((serial, MonotonicTime.now))
        // Copy instead of flip, so that the buffer is free as soon as the picture is on screen.
        var options = XCB_PRESENT_OPTION_COPY.rawValue
        if !isSynchronised { options |= XCB_PRESENT_OPTION_ASYNC.rawValue }
        xcb_present_pixmap(connection.pointer, window, pixmap, serial, 0, 0, 0, 0, 0, 0, 0, options, 0, 0, 0, 0, nil)
    }

    /// Returns whether the server no longer reads `pixmap`. Reads events that have arrived.
    func isFree(_ pixmap: xcb_pixmap_t) -> Bool {
        if busyPixmaps[pixmap] != nil { readEvents() }
        return busyPixmaps[pixmap] == nil
    }

    /// Marks `pixmap` as free. Needed because the server may never report that it has read the pixmap of a hidden or
    /// destroyed window.
    func markPixmapFree(_ pixmap: xcb_pixmap_t) { busyPixmaps[pixmap] = nil }

    /// Returns, in order, the reports about pictures that reached the screen since the last call of this method.
    func takeReports() -> [PresentFeedback] {
        readEvents()
        defer { reports = [] }
        return reports
    }

    /// Handles the Present events that have arrived.
    private func readEvents() {
        while let event = xcb_poll_for_special_event(connection.pointer, events) {
            defer { free(event) }
            event.withMemoryRebound(to: xcb_present_generic_event_t.self, capacity: 1) { generic in
                switch Int32(generic.pointee.evtype) {
                case XCB_PRESENT_COMPLETE_NOTIFY:
                    event.withMemoryRebound(to: xcb_present_complete_notify_event_t.self, capacity: 1) {
                        handleCompletion($0.pointee)
                    }
                case XCB_PRESENT_IDLE_NOTIFY:
                    event.withMemoryRebound(to: xcb_present_idle_notify_event_t.self, capacity: 1) { idle in
                        let (pixmap, idleSerial) = (idle.pointee.pixmap, idle.pointee.serial)
                        if busyPixmaps[pixmap] == idleSerial { busyPixmaps[pixmap] = nil }
                    }
                default: break
                }
            }
        }
    }

    /// Handles the server's report that a picture reached the screen or was skipped.
    private func handleCompletion(_ event: xcb_present_complete_notify_event_t) {
        guard let index = pendingPictures.firstIndex(where: { $0.serial == event.serial }) else { return }
        let submittedTime = pendingPictures[index].submittedTime
        pendingPictures.removeSubrange(...index)
        // `ust` counts microseconds of the host clock. A skipped picture was never on screen, because a later picture
        // replaced it.
        guard UInt32(event.mode) != XCB_PRESENT_COMPLETE_MODE_SKIP.rawValue, let micros = Int64(exactly: event.ust),
            case (let shownTime, let overflow) = micros.multipliedReportingOverflow(by: 1000), !overflow
        else { return }
        if reports.count >= Self.queueLimit { reports.removeFirst() }
        reports.append(
            PresentFeedback(
                submittedTime: submittedTime, shownTime: max(shownTime, submittedTime), isSynchronised: isSynchronised))
    }
}
