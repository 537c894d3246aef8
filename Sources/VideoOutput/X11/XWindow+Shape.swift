import CXCB
import SharedFrames

/// The regions of a window in which it receives pointer events and is visible (the Shape extension).
extension XWindow {
    /// Sets whether pointer events pass to the windows below (the input region of the Shape extension).
    ///
    /// - Returns: False if the server lacks the extension.
    @discardableResult
    package func setInputTransparent(_ isTransparent: Bool) -> Bool {
        let xcb = connection.pointer
        guard let data = xcb_get_extension_data(xcb, cxcb_shape_extension()), data.pointee.present != 0 else {
            return false
        }
        let setOperation = xcb_shape_op_t(XCB_SHAPE_SO_SET.rawValue),
            inputKind = xcb_shape_kind_t(XCB_SHAPE_SK_INPUT.rawValue)
        if isTransparent {
            xcb_shape_rectangles(
                xcb, setOperation, inputKind, UInt8(XCB_CLIP_ORDERING_UNSORTED.rawValue), id, 0, 0, 0, nil)
        } else {
            xcb_shape_mask(xcb, setOperation, inputKind, id, 0, 0, xcb_pixmap_t(XCB_PIXMAP_NONE.rawValue))
        }
        return true
    }

    /// Reduces the window to a border of `width` pixels (the bounding region of the Shape extension); nil restores the
    /// whole window.
    package func setBorderShape(_ width: Int?, of size: PixelSize) {
        let xcb = connection.pointer
        guard let data = xcb_get_extension_data(xcb, cxcb_shape_extension()), data.pointee.present != 0 else { return }
        let bounding = xcb_shape_kind_t(XCB_SHAPE_SK_BOUNDING.rawValue), set = xcb_shape_op_t(XCB_SHAPE_SO_SET.rawValue)
        guard let width else {
            return _ = xcb_shape_mask(xcb, set, bounding, id, 0, 0, xcb_pixmap_t(XCB_PIXMAP_NONE.rawValue))
        }
        let fullWidth = UInt16(clamping: size.width), fullHeight = UInt16(clamping: size.height),
            borderWidth = UInt16(clamping: width)
        let rects = [
            xcb_rectangle_t(x: 0, y: 0, width: fullWidth, height: borderWidth),
            xcb_rectangle_t(x: 0, y: Int16(clamping: size.height - width), width: fullWidth, height: borderWidth),
            xcb_rectangle_t(x: 0, y: 0, width: borderWidth, height: fullHeight),
            xcb_rectangle_t(x: Int16(clamping: size.width - width), y: 0, width: borderWidth, height: fullHeight),
        ]
        xcb_shape_rectangles(
            xcb, set, bounding, UInt8(XCB_CLIP_ORDERING_UNSORTED.rawValue), id, 0, 0, UInt32(rects.count), rects)
    }
}
