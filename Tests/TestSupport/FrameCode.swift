import CXCB

/// Decodes the frame number that is painted into each frame of a test clip.
///
/// The frame is a grid of 16 columns and 9 rows of cells. Row 4, counted from 0, contains the bits of the frame number,
/// row 5 their complement. White is 1.
package enum FrameCode {
    /// The number of columns of the grid that contains the frame number.
    package static let columns = 16
    /// The number of rows of the grid that contains the frame number.
    package static let rows = 9
    /// The aspect ratio of the test clips, width to height.
    package static let aspect = 16.0 / 9.0

    /// Returns the frame number that two rows of brightness values encode, one value per column; nil if the second row
    /// is not the complement of the first.
    package static func number(bits: [UInt8], complement: [UInt8]) -> Int? {
        guard bits.count == columns, complement.count == columns else { return nil }
        var number = 0
        for (bit, complementBit) in zip(bits, complement) {
            guard (bit > 127) != (complementBit > 127) else { return nil }
            number = number << 1 | (bit > 127 ? 1 : 0)
        }
        return number
    }
}

extension XConnection {
    /// Returns the number of the frame that a window shows; nil if no number is readable, for example because another
    /// window covers it.
    ///
    /// This method reads the window again, up to eight times, if the window moves or changes its size during the read.
    package func frameNumber(of id: UInt32) -> Int? {
        for _ in 0..<8 {
            guard let initialPlacement = placement(id), initialPlacement.isViewable else { return nil }
            let area = initialPlacement.area
            let rows = Window.Area(
                x: area.x, y: area.y + area.height * 4 / 9, width: area.width, height: area.height * 2 / 9)
            if isCovered(id, in: rows) { return nil }
            let number = frameNumber(in: area)
            if placement(id)?.area == area, !isCovered(id, in: rows) { return number }
        }
        return nil
    }

    /// Returns the number of the frame that is visible in an area of the screen; nil if no number is readable there.
    package func frameNumber(in window: Window.Area) -> Int? {
        let area = window.largestCenteredArea(aspect: FrameCode.aspect)
        let rowCoordinates = [4.5, 5.5].map { area.y + Int(Double(area.height) * $0 / Double(FrameCode.rows)) }
        guard area.x >= 0, area.x + area.width <= width, rowCoordinates[0] >= 0, rowCoordinates[1] < height,
            area.width >= FrameCode.columns
        else { return nil }
        // Request the images of both rows before reading the first reply, so that both rows come from the same frame.
        let cookies = rowCoordinates.map {
            xcb_get_image(
                raw, UInt8(XCB_IMAGE_FORMAT_Z_PIXMAP.rawValue), root, Int16(area.x), Int16($0), UInt16(area.width), 1,
                .max)
        }
        let values = cookies.map { cookie in
            reply({ xcb_get_image_reply(raw, cookie, $0) }) { reply -> [UInt8]? in
                let bytes = UnsafeBufferPointer(
                    start: xcb_get_image_data(reply), count: Int(xcb_get_image_data_length(reply)))
                guard bytes.count >= area.width * 4 else { return nil }
                // The green component of each pixel, its second byte, is used as the brightness.
                return (0..<FrameCode.columns).map {
                    bytes[(($0 * 2 + 1) * area.width / (2 * FrameCode.columns)) * 4 + 1]
                }
            }
        }
        guard let bits = values[0], let complement = values[1] else { return nil }
        return FrameCode.number(bits: bits, complement: complement)
    }

    /// Returns the colour of one pixel of the screen, as 0xRRGGBB; nil if the pixel cannot be read.
    package func color(x: Int, y: Int) -> UInt32? {
        let cookie = xcb_get_image(raw, UInt8(XCB_IMAGE_FORMAT_Z_PIXMAP.rawValue), root, Int16(x), Int16(y), 1, 1, .max)
        return reply({ xcb_get_image_reply(raw, cookie, $0) }) { reply in
            let bytes = UnsafeBufferPointer(
                start: xcb_get_image_data(reply), count: Int(xcb_get_image_data_length(reply)))
            return bytes.count >= 3 ? UInt32(bytes[2]) << 16 | UInt32(bytes[1]) << 8 | UInt32(bytes[0]) : nil
        }
    }
}
