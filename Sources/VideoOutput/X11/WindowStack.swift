import CXCB
import Glibc
import SharedFrames

/// The windows above one window, as the window manager stacks them (EWMH `_NET_CLIENT_LIST_STACKING`), or, without a
/// window manager, as the X server does. Every question waits for the server: ask on the event thread only.
struct WindowStack {
    private let connection: XConnection
    private let window: XWindow

    /// Windows above ours that are read at most; with more, those at the top count.
    private static let limit = 128

    init(_ window: XWindow) {
        self.window = window
        connection = window.connection
    }

    /// Returns whether other opaque windows cover all of the window that is on the screen.
    func isCovered(currentDesktop: UInt32?) -> Bool {
        guard let origin = window.origin, let size = window.currentSize else { return false }
        let frame = PixelRect(x: origin.x, y: origin.y, width: size.width, height: size.height)
        let screen = PixelRect(x: 0, y: 0, width: connection.screenSize.width, height: connection.screenSize.height)
        return WindowOcclusion.isCovered(frame.intersection(screen), by: opaqueRegions(currentDesktop: currentDesktop))
    }

    /// The windows above ours, from bottom to top.
    private var windowsAbove: ArraySlice<xcb_window_t> {
        let list =
            connection.hasWindowManager
            ? window.words(connection.atoms.clientListStacking, ofRoot: true, limit: 4096) : []
        let stack = list.isEmpty ? children : list
        guard let own = stack.firstIndex(of: window.id) else { return [] }
        return stack[(own + 1)...].suffix(Self.limit)
    }

    private var children: [xcb_window_t] {
        guard
            let tree = xcb_query_tree_reply(
                connection.pointer, xcb_query_tree(connection.pointer, connection.root), nil)
        else {
            return []
        }
        defer { free(tree) }
        let count = Int(xcb_query_tree_children_length(tree))
        return Array(UnsafeBufferPointer(start: xcb_query_tree_children(tree), count: count))
    }

    /// The opaque rectangles of all windows above, in the root's coordinates. All requests are sent before the first
    /// reply is read.
    private func opaqueRegions(currentDesktop: UInt32?) -> [PixelRect] {
        let requests = windowsAbove.map { Request(window: $0, connection: connection) }
        return requests.flatMap { $0.opaqueRegion(connection: connection, currentDesktop: currentDesktop) }
    }

    /// The questions about one window, in flight.
    private struct Request {
        let attributes: xcb_get_window_attributes_cookie_t
        let geometry: xcb_get_geometry_cookie_t
        let origin: xcb_translate_coordinates_cookie_t
        let state, desktop, opacity, opaqueRegion: xcb_get_property_cookie_t
        let shape: xcb_shape_query_extents_cookie_t?

        init(window: xcb_window_t, connection: XConnection) {
            let c = connection.pointer, atoms = connection.atoms
            func property(_ atom: xcb_atom_t, words: UInt32) -> xcb_get_property_cookie_t {
                xcb_get_property(c, 0, window, atom, UInt32(XCB_GET_PROPERTY_TYPE_ANY.rawValue), 0, words)
            }
            attributes = xcb_get_window_attributes(c, window)
            geometry = xcb_get_geometry(c, window)
            origin = xcb_translate_coordinates(c, window, connection.root, 0, 0)
            state = property(atoms.netWMState, words: 64)
            desktop = property(atoms.desktop, words: 1)
            opacity = property(atoms.opacity, words: 1)
            opaqueRegion = property(atoms.opaqueRegion, words: 256)
            let extensionData = xcb_get_extension_data(c, cxcb_shape_extension())
            shape = extensionData.map { $0.pointee.present != 0 } == true ? xcb_shape_query_extents(c, window) : nil
        }

        /// Reads every reply, since XCB keeps the ones that nobody reads, and judges the window by them.
        func opaqueRegion(connection: XConnection, currentDesktop: UInt32?) -> [PixelRect] {
            let c = connection.pointer
            let attributes = Self.take(xcb_get_window_attributes_reply(c, attributes, nil))
            let geometry = Self.take(xcb_get_geometry_reply(c, geometry, nil))
            let origin = Self.take(xcb_translate_coordinates_reply(c, origin, nil))
            let states = connection.words(of: xcb_get_property_reply(c, state, nil))
            let desktop = connection.words(of: xcb_get_property_reply(c, desktop, nil)).first
            let opacity = connection.words(of: xcb_get_property_reply(c, opacity, nil)).first ?? .max
            let region = connection.words(of: xcb_get_property_reply(c, opaqueRegion, nil))
            let extents = shape.flatMap { Self.take(xcb_shape_query_extents_reply(c, $0, nil)) }
            guard let attributes, let geometry, let origin else { return [] }
            let isElsewhere = WindowSight(desktop: desktop, currentDesktop: currentDesktop).isShown == false
            guard UInt32(attributes.map_state) == XCB_MAP_STATE_VIEWABLE.rawValue,
                UInt32(attributes._class) == XCB_WINDOW_CLASS_INPUT_OUTPUT.rawValue,
                !isElsewhere, !states.contains(connection.atoms.stateHidden), opacity == .max,
                extents?.bounding_shaped != 1
            else { return [] }
            let frame = PixelRect(
                x: Int(origin.dst_x), y: Int(origin.dst_y), width: Int(geometry.width), height: Int(geometry.height))
            // A window with an alpha channel is as opaque as its program says (EWMH `_NET_WM_OPAQUE_REGION`).
            guard geometry.depth == 32 else { return [frame] }
            return stride(from: 0, to: region.count - region.count % 4, by: 4).map { index in
                let part = PixelRect(
                    x: frame.x + Int(Int32(bitPattern: region[index])),
                    y: frame.y + Int(Int32(bitPattern: region[index + 1])),
                    width: Int(region[index + 2] & 0xFFFF), height: Int(region[index + 3] & 0xFFFF))
                return part.intersection(frame)
            }
        }

        private static func take<Reply>(_ reply: UnsafeMutablePointer<Reply>?) -> Reply? {
            guard let reply else { return nil }
            defer { free(reply) }
            return reply.pointee
        }
    }
}
