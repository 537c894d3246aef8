import CXCB

/// A snapshot of an X window.
package struct Window: Sendable, Equatable {
    /// A rectangle on the screen, in pixels.
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

        /// Returns the largest rectangle with aspect ratio `aspect` (width to height) in the centre of this rectangle.
        package func largestCenteredArea(aspect: Double) -> Area {
            let areaWidth = min(width, Int((Double(height) * aspect).rounded()))
            let areaHeight = min(height, Int((Double(width) / aspect).rounded()))
            return Area(
                x: x + (width - areaWidth) / 2, y: y + (height - areaHeight) / 2, width: areaWidth, height: areaHeight)
        }
    }

    package let id: UInt32
    /// The first part of `WM_CLASS`, the instance name.
    package let instanceName: String
    /// The second part of `WM_CLASS`, the class name.
    package let className: String
    package let title: String
    /// The area of the window without its decorations, in screen coordinates.
    package let area: Area
    /// Whether the window and all its ancestors are mapped.
    package let isViewable: Bool
    /// Whether the window bypasses the window manager (`override_redirect`).
    package let isUnmanaged: Bool
}

extension XConnection {
    /// Returns all windows below the root window, topmost first.
    package func windows() -> [Window] {
        var windows: [Window] = []
        visitDescendants(root, depth: 0) { id in
            window(id).map { windows.append($0) }
            return true
        }
        return windows
    }

    /// Returns the topmost viewable window that matches `query`; nil if there is none.
    package func visibleWindow(_ query: WindowQuery) -> Window? {
        var matchingWindow: Window?
        visitDescendants(root, depth: 0) { id in
            if let window = window(id), query.matches(window), window.isViewable, window.area.width > 1 {
                matchingWindow = window
            }
            return matchingWindow == nil
        }
        return matchingWindow
    }

    /// Returns a snapshot of a window; nil if the window does not exist. All requests are sent before the first reply
    /// is read, because tests call this method several hundred times a second.
    package func window(_ id: UInt32) -> Window? {
        let requests = ["WM_CLASS", "_NET_WM_NAME", "WM_NAME"].map { requestProperty($0, of: id) }
        let place = placement(id), values = requests.map(value)
        guard let (area, isViewable, isUnmanaged) = place else { return nil }
        let names = values[0].split(separator: 0, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        let title = values[1].isEmpty ? values[2] : values[1]
        return Window(
            id: id, instanceName: names.first ?? "", className: names.count > 1 ? names[1] : "",
            title: String(decoding: title, as: UTF8.self),
            area: area, isViewable: isViewable, isUnmanaged: isUnmanaged)
    }

    /// Returns the area of a window, whether it is viewable, and whether it bypasses the window manager; nil if the
    /// window does not exist. All three X requests are sent before the first reply is read.
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
        let position = reply({ xcb_translate_coordinates_reply(raw, translation, $0) }) {
            (Int($0.pointee.dst_x), Int($0.pointee.dst_y))
        }
        guard let state, let size, let position else { return nil }
        return (Window.Area(x: position.0, y: position.1, width: size.0, height: size.1), state.0, state.1)
    }

    /// Returns whether another top-level window covers part of the rectangle `area` (in screen coordinates) of a
    /// window.
    package func isCovered(_ id: UInt32, in area: Window.Area) -> Bool {
        var topLevelWindow = id
        while let parent = parent(of: topLevelWindow), parent != root { topLevelWindow = parent }
        for sibling in children(of: root).reversed() {
            if sibling == topLevelWindow { return false }
            guard let position = placement(sibling), position.isViewable else { continue }
            let coveringArea = position.area
            if coveringArea.x < area.x + area.width, area.x < coveringArea.x + coveringArea.width,
                coveringArea.y < area.y + area.height, area.y < coveringArea.y + coveringArea.height
            {
                return true
            }
        }
        return false
    }

    /// Returns the parent of a window; nil for the root window.
    private func parent(of window: UInt32) -> UInt32? {
        let cookie = xcb_query_tree(raw, window)
        let parent = reply({ xcb_query_tree_reply(raw, cookie, $0) }) { $0.pointee.parent }
        return parent == 0 ? nil : parent
    }

    /// Calls `body` with the identifiers of the windows below `window`, topmost first and at most five levels deep,
    /// until `body` returns false.
    @discardableResult
    private func visitDescendants(_ window: UInt32, depth: Int, _ body: (UInt32) -> Bool) -> Bool {
        for child in children(of: window).reversed() {
            guard body(child), depth >= 4 || visitDescendants(child, depth: depth + 1, body) else { return false }
        }
        return true
    }
}
