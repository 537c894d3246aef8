import CXCB

extension ScreenWatcher {
    /// How many points of a window have a colour (0xRRGGBB) that `matches`, between two heights of it (parts of 1); nil
    /// without a window.
    package func points(
        in query: WindowQuery, from top: Double = 0, to bottom: Double = 1, where matches: (UInt32) -> Bool
    ) -> Int? {
        guard let area = window(query)?.area else { return nil }
        let first = area.y + Int(Double(area.height) * top), last = area.y + Int(Double(area.height) * bottom)
        return connection.pixels(in: Window.Area(x: area.x, y: first, width: area.width, height: last - first))?.count(
            where: matches)
    }

    /// The colours of a square in the middle of a window, `edge` pixels wide, row after row; nil without a window.
    package func middle(of query: WindowQuery, edge: Int) -> [UInt32]? {
        guard let area = window(query)?.area, area.width >= edge, area.height >= edge else { return nil }
        return connection.pixels(
            in: Window.Area(
                x: area.x + (area.width - edge) / 2, y: area.y + (area.height - edge) / 2, width: edge, height: edge))
    }
}

extension XConnection {
    /// The colours of an area of the screen, as 0xRRGGBB, row after row; nil when it is not all on the screen.
    func pixels(in area: Window.Area) -> [UInt32]? {
        guard area.width > 0, area.height > 0 else { return nil }
        let cookie = xcb_get_image(
            raw, UInt8(XCB_IMAGE_FORMAT_Z_PIXMAP.rawValue), root, Int16(area.x), Int16(area.y), UInt16(area.width),
            UInt16(area.height), .max)
        return reply({ xcb_get_image_reply(raw, cookie, $0) }) { reply in
            let bytes = UnsafeRawBufferPointer(
                start: xcb_get_image_data(reply), count: Int(xcb_get_image_data_length(reply)))
            guard bytes.count >= area.width * area.height * 4 else { return nil }
            return (0..<area.width * area.height).map {
                UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self)) & 0xFFFFFF
            }
        }
    }
}
