import CXCB

extension ScreenWatcher {
    /// Returns the number of pixels in a window for whose colour (0xRRGGBB) `matches` returns true; nil if the window
    /// does not exist.
    ///
    /// - Parameters:
    ///   - top: where the searched rows begin, as a fraction of the window height; 0 is the upper edge.
    ///   - bottom: where the searched rows end, as a fraction of the window height; 1 is the lower edge.
    package func pixelCount(
        in query: WindowQuery, from top: Double = 0, to bottom: Double = 1, where matches: (UInt32) -> Bool
    ) -> Int? {
        guard let area = window(query)?.area else { return nil }
        let firstRow = area.y + Int(Double(area.height) * top), endRow = area.y + Int(Double(area.height) * bottom)
        let rows = Window.Area(x: area.x, y: firstRow, width: area.width, height: endRow - firstRow)
        return connection.pixels(in: rows)?.count(where: matches)
    }

    /// Returns the colours (0xRRGGBB) of a square in the middle of a window, row by row; nil if the window does not
    /// exist.
    ///
    /// - Parameter edge: the side length of the square, in pixels.
    package func middlePixels(of query: WindowQuery, edge: Int) -> [UInt32]? {
        guard let area = window(query)?.area, area.width >= edge, area.height >= edge else { return nil }
        return connection.pixels(
            in: Window.Area(
                x: area.x + (area.width - edge) / 2, y: area.y + (area.height - edge) / 2, width: edge, height: edge))
    }
}

extension XConnection {
    /// Returns the colours of a screen area, as 0xRRGGBB, row by row; nil if part of the area is outside the screen.
    package func pixels(in area: Window.Area) -> [UInt32]? {
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
