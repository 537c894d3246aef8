import SharedFrames
import WireFormat

extension FrameFormat {
    /// Appends the format to a message, in the order in which ``init(from:)`` reads it.
    func write(to w: inout MessageWriter) {
        w.write(layout.pixelFormat.rawValue)
        w.write(UInt32(layout.width))
        w.write(UInt32(layout.height))
        w.write(UInt8(layout.planes.count))
        for plane in layout.planes {
            w.write(UInt32(plane.offset))
            w.write(UInt32(plane.stride))
        }
        w.write(attributes.sampleAspectNumerator)
        w.write(attributes.sampleAspectDenominator)
        w.write(attributes.matrix.rawValue)
        w.write(attributes.primaries.rawValue)
        w.write(attributes.transfer.rawValue)
        w.write(attributes.isFullRange)
        w.write(attributes.peakLuminance)
        w.write(attributes.orientation.rawValue)
        for edge in [attributes.crop.left, attributes.crop.top, attributes.crop.right, attributes.crop.bottom] {
            w.write(edge)
        }
    }

    /// Reads a frame format from a message and validates it.
    ///
    /// - Throws: `MalformedMessage` if the format is invalid.
    init(from r: inout MessageReader) throws(MalformedMessage) {
        guard let pixelFormat = PixelFormat(rawValue: try r.read()) else {
            throw MalformedMessage("an unknown pixel format")
        }
        let width = try r.read(UInt32.self), height = try r.read(UInt32.self)
        let planeCount = try r.read(UInt8.self)
        guard planeCount <= 5 else { throw MalformedMessage("too many planes") }
        var planes: [FrameLayout.Plane] = []
        for _ in 0..<planeCount {
            planes.append(FrameLayout.Plane(offset: Int(try r.read(UInt32.self)), stride: Int(try r.read(UInt32.self))))
        }
        guard let layout = FrameLayout(pixelFormat: pixelFormat, width: Int(width), height: Int(height), planes: planes)
        else {
            throw MalformedMessage("a picture has planes that are out of bounds")
        }
        var attributes = PictureAttributes()
        attributes.sampleAspectNumerator = try r.read()
        attributes.sampleAspectDenominator = try r.read()
        attributes.matrix = MatrixCoefficients(rawValue: try r.read())
        attributes.primaries = ColourPrimaries(rawValue: try r.read())
        attributes.transfer = TransferCharacteristics(rawValue: try r.read())
        attributes.isFullRange = try r.read()
        attributes.peakLuminance = try r.read()
        guard let orientation = PictureOrientation(rawValue: try r.read()) else {
            throw MalformedMessage("an unknown orientation")
        }
        attributes.orientation = orientation
        attributes.crop = PictureCrop(left: try r.read(), top: try r.read(), right: try r.read(), bottom: try r.read())
        guard attributes.crop.visibleRect(in: PixelSize(width: Int(width), height: Int(height))) != nil else {
            throw MalformedMessage("a picture's crop leaves no visible pixels")
        }
        self.init(layout: layout, attributes: attributes)
    }
}
