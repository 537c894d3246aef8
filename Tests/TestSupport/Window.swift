import CXCB

/// A window as it was when it was looked at.
package struct Window: Sendable, Equatable {
    /// A place on the screen, in pixels.
    package struct Area: Sendable, Equatable {
        package var x: Int
        package var y: Int
        package var width: Int
        package var height: Int
        package init(x: Int, y: Int, width: Int, height: Int) {
            self.x = x
            self.y = y
            self.width = width
            self.height = height
        }

        /// The largest area of `aspect` (width to height) in the middle of this one.
        package func fitting(aspect: Double) -> Area {
            let w = min(width, Int((Double(height) * aspect).rounded()))
            let h = min(height, Int((Double(width) / aspect).rounded()))
            return Area(x: x + (width - w) / 2, y: y + (height - h) / 2, width: w, height: h)
        }
    }

    package let id: UInt32
    package let instance: String
    package let className: String
    package let title: String
    /// Its inside, on the screen.
    package let area: Area
    package let isViewable: Bool
    /// True for a window that no window manager touches.
    package let isUnmanaged: Bool
}

extension XConnection {
    /// Every window below the root, topmost first.
    package func windows() -> [Window] {
        var found: [Window] = []
        visit(root, depth: 0) { id in
            window(id).map { found.append($0) }
            return true
        }
        return found
    }

    /// The topmost window that matches and can be seen.
    package func visibleWindow(_ query: WindowQuery) -> Window? {
        var found: Window?
        visit(root, depth: 0) { id in
            if let window = window(id), query.matches(window), window.isViewable, window.area.width > 1 {
                found = window
            }
            return found == nil
        }
        return found
    }

    /// What is known of one window; nil when it is gone.
    package func window(_ id: UInt32) -> Window? {
        guard let (area, viewable, unmanaged) = placement(id) else { return nil }
        let names = property("WM_CLASS", of: id).split(separator: 0, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        let modern = property("_NET_WM_NAME", of: id)
        let title = modern.isEmpty ? property("WM_NAME", of: id) : modern
        return Window(
            id: id, instance: names.first ?? "", className: names.count > 1 ? names[1] : "",
            title: String(decoding: title, as: UTF8.self),
            area: area, isViewable: viewable, isUnmanaged: unmanaged)
    }

    /// Where a window is: three questions in one round trip.
    func placement(_ id: UInt32) -> (area: Window.Area, isViewable: Bool, isUnmanaged: Bool)? {
        let attributes = xcb_get_window_attributes(raw, id)
        let geometry = xcb_get_geometry(raw, id)
        let translation = xcb_translate_coordinates(raw, id, root, 0, 0)
        let state = reply({ xcb_get_window_attributes_reply(raw, attributes, $0) }) {
            ($0.pointee.map_state == UInt8(XCB_MAP_STATE_VIEWABLE.rawValue), $0.pointee.override_redirect != 0)
        }
        let size = reply({ xcb_get_geometry_reply(raw, geometry, $0) }) {
            (Int($0.pointee.width), Int($0.pointee.height))
        }
        let place = reply({ xcb_translate_coordinates_reply(raw, translation, $0) }) {
            (Int($0.pointee.dst_x), Int($0.pointee.dst_y))
        }
        guard let state, let size, let place else { return nil }
        return (Window.Area(x: place.0, y: place.1, width: size.0, height: size.1), state.0, state.1)
    }

    /// Whether another window lies over an area of this one.
    func isCovered(_ id: UInt32, in area: Window.Area) -> Bool {
        var top = id
        while let parent = parent(of: top), parent != root { top = parent }
        for other in children(of: root).reversed() {
            if other == top { return false }
            guard let place = placement(other), place.isViewable else { continue }
            let o = place.area
            if o.x < area.x + area.width, area.x < o.x + o.width, o.y < area.y + area.height, area.y < o.y + o.height {
                return true
            }
        }
        return false
    }

    private func parent(of window: UInt32) -> UInt32? {
        let cookie = xcb_query_tree(raw, window)
        let parent = reply({ xcb_query_tree_reply(raw, cookie, $0) }) { $0.pointee.parent }
        return parent == 0 ? nil : parent
    }

    /// Goes through the tree, topmost first, as long as `body` says so.
    @discardableResult
    private func visit(_ window: UInt32, depth: Int, _ body: (UInt32) -> Bool) -> Bool {
        for child in children(of: window).reversed() {
            guard body(child), depth >= 4 || visit(child, depth: depth + 1, body) else { return false }
        }
        return true
    }
}
