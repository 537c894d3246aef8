import CXCB
import Glibc
import SharedFrames

/// The windows above one window. The stacking order is that of the window manager (EWMH `_NET_CLIENT_LIST_STACKING`)
/// or, without a window manager, that of the X server.
///
/// All queries wait for the server, so use this type on the event thread only.
struct WindowStack {
    /// The connection to the X server.
    private let connection: XConnection
    /// The window for which the windows above it are examined.
    private let window: XWindow

    /// The maximum number of windows that are examined, counted from the topmost.
    private static let windowLimit = 128

    /// Creates the stack of the windows above `window`. Each query reads it from the server.
    init(_ window: XWindow) {
        self.window = window
        connection = window.connection
    }

    /// Returns whether other opaque windows cover the whole part of the window that lies on the screen.
    func isCovered(currentDesktop: UInt32?) -> Bool {
        guard let origin = window.origin, let size = window.currentSize else { return false }
        let frame = PixelRect(x: origin.x, y: origin.y, width: size.width, height: size.height)
        let screen = PixelRect(x: 0, y: 0, width: connection.screenSize.width, height: connection.screenSize.height)
        return WindowOcclusion.isCovered(frame.intersection(screen), by: opaqueRegions(currentDesktop: currentDesktop))
    }

    /// The windows above ``window``, from bottom to top.
    private var windowsAbove: ArraySlice<xcb_window_t> {
        let list =
            connection.hasWindowManager
            ? window.propertyWords(connection.atoms.clientListStacking, ofRoot: true, limit: 4096) : []
        let stackingOrder = list.isEmpty ? children : list
        guard let ownIndex = stackingOrder.firstIndex(of: window.id) else { return [] }
        return stackingOrder[(ownIndex + 1)...].suffix(Self.windowLimit)
    }

    /// The root window's children, from bottom to top.
    private var children: [xcb_window_t] {
        guard
            let treeReply = xcb_query_tree_reply(
                connection.pointer, xcb_query_tree(connection.pointer, connection.root), nil)
        else {
            return []
        }
        defer { free(treeReply) }
        let count = Int(xcb_query_tree_children_length(treeReply))
        return Array(UnsafeBufferPointer(start: xcb_query_tree_children(treeReply), count: count))
    }

    /// Returns the opaque rectangles of all windows above ``window``, in the root window's coordinates.
    ///
    /// Sends all requests before reading the first reply, which saves round trips.
    private func opaqueRegions(currentDesktop: UInt32?) -> [PixelRect] {
        let requests = windowsAbove.map { Request(window: $0, connection: connection) }
        return requests.flatMap { $0.opaqueRegion(connection: connection, currentDesktop: currentDesktop) }
    }

    /// The requests about one window, sent to the X server and not answered yet.
    private struct Request {
        /// The pending reply with the window's class and whether it is mapped.
        let attributes: xcb_get_window_attributes_cookie_t
        /// The pending reply with the window's size.
        let geometry: xcb_get_geometry_cookie_t
        /// The pending reply with the window's position on the screen.
        let origin: xcb_translate_coordinates_cookie_t
        /// The pending replies with the properties that can make the window hidden or translucent.
        let state, desktop, opacity, opaqueRegion: xcb_get_property_cookie_t
        /// The pending reply with the window's shape; nil if the server has no shaped windows.
        let shape: xcb_shape_query_extents_cookie_t?

        /// Sends all requests about a window.
        init(window: xcb_window_t, connection: XConnection) {
            let xcb = connection.pointer, atoms = connection.atoms
            func property(_ atom: xcb_atom_t, words: UInt32) -> xcb_get_property_cookie_t {
                xcb_get_property(xcb, 0, window, atom, UInt32(XCB_GET_PROPERTY_TYPE_ANY.rawValue), 0, words)
            }
            attributes = xcb_get_window_attributes(xcb, window)
            geometry = xcb_get_geometry(xcb, window)
            origin = xcb_translate_coordinates(xcb, window, connection.root, 0, 0)
            state = property(atoms.netWMState, words: 64)
            desktop = property(atoms.desktop, words: 1)
            opacity = property(atoms.opacity, words: 1)
            opaqueRegion = property(atoms.opaqueRegion, words: 256)
            let extensionData = xcb_get_extension_data(xcb, cxcb_shape_extension())
            shape = extensionData.map { $0.pointee.present != 0 } == true ? xcb_shape_query_extents(xcb, window) : nil
        }

        /// Returns the opaque rectangles of the window; empty if the window covers no other window.
        ///
        /// Reads every reply, because XCB keeps unread replies in memory.
        func opaqueRegion(connection: XConnection, currentDesktop: UInt32?) -> [PixelRect] {
            let xcb = connection.pointer
            let attributes = Self.takeContents(xcb_get_window_attributes_reply(xcb, attributes, nil))
            let geometry = Self.takeContents(xcb_get_geometry_reply(xcb, geometry, nil))
            let origin = Self.takeContents(xcb_translate_coordinates_reply(xcb, origin, nil))
            let windowStates = connection.words(of: xcb_get_property_reply(xcb, state, nil))
            let desktop = connection.words(of: xcb_get_property_reply(xcb, desktop, nil)).first
            let opacity = connection.words(of: xcb_get_property_reply(xcb, opacity, nil)).first ?? .max
            let region = connection.words(of: xcb_get_property_reply(xcb, opaqueRegion, nil))
            let extents = shape.flatMap { Self.takeContents(xcb_shape_query_extents_reply(xcb, $0, nil)) }
            guard let attributes, let geometry, let origin else { return [] }
            let isOnOtherWorkspace = WindowVisibility(desktop: desktop, currentDesktop: currentDesktop).isShown == false
            guard UInt32(attributes.map_state) == XCB_MAP_STATE_VIEWABLE.rawValue,
                UInt32(attributes._class) == XCB_WINDOW_CLASS_INPUT_OUTPUT.rawValue,
                !isOnOtherWorkspace, !windowStates.contains(connection.atoms.stateHidden), opacity == .max,
                extents?.bounding_shaped != 1
            else { return [] }
            let frame = PixelRect(
                x: Int(origin.dst_x), y: Int(origin.dst_y), width: Int(geometry.width), height: Int(geometry.height))
            // The program of a window with an alpha channel declares the opaque part (EWMH `_NET_WM_OPAQUE_REGION`).
            guard geometry.depth == 32 else { return [frame] }
            return stride(from: 0, to: region.count - region.count % 4, by: 4).map { index in
                let opaqueRect = PixelRect(
                    x: frame.x + Int(Int32(bitPattern: region[index])),
                    y: frame.y + Int(Int32(bitPattern: region[index + 1])),
                    width: Int(region[index + 2] & 0xFFFF), height: Int(region[index + 3] & 0xFFFF))
                return opaqueRect.intersection(frame)
            }
        }

        /// Returns a reply's contents and frees the reply.
        private static func takeContents<Reply>(_ reply: UnsafeMutablePointer<Reply>?) -> Reply? {
            guard let reply else { return nil }
            defer { free(reply) }
            return reply.pointee
        }
    }
}
