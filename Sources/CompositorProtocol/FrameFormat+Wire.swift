import SharedFrames
import WireFormat

extension FrameFormat {
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
        w.write(attributes.matrix)
        w.write(attributes.primaries)
        w.write(attributes.transfer)
        w.write(attributes.isFullRange)
        w.write(attributes.peakLuminance)
        w.write(attributes.orientation.rawValue)
        for edge in [attributes.crop.left, attributes.crop.top, attributes.crop.right, attributes.crop.bottom] {
            w.write(edge)
        }
    }

    /// Reads and validates a format.
    ///
    /// - Throws: `MalformedMessage` if the format is invalid.
    init(from r: inout MessageReader) throws(MalformedMessage) {
        guard let format = PixelFormat(rawValue: try r.read()) else {
            throw MalformedMessage("an unknown pixel format")
        }
        let width = try r.read(UInt32.self), height = try r.read(UInt32.self)
        let count = try r.read(UInt8.self)
        guard count <= 5 else { throw MalformedMessage("too many planes") }
        var planes: [FrameLayout.Plane] = []
        for _ in 0..<count {
            planes.append(FrameLayout.Plane(offset: Int(try r.read(UInt32.self)), stride: Int(try r.read(UInt32.self))))
        }
        guard let layout = FrameLayout(pixelFormat: format, width: Int(width), height: Int(height), planes: planes)
        else {
            throw MalformedMessage("a picture has planes that are out of bounds")
        }
        var attributes = PictureAttributes()
        attributes.sampleAspectNumerator = try r.read()
        attributes.sampleAspectDenominator = try r.read()
        attributes.matrix = try r.read()
        attributes.primaries = try r.read()
        attributes.transfer = try r.read()
        attributes.isFullRange = try r.read()
        attributes.peakLuminance = try r.read()
        guard let orientation = PictureOrientation(rawValue: try r.read()) else {
            throw MalformedMessage("an unknown orientation")
        }
        attributes.orientation = orientation
        attributes.crop = PictureCrop(left: try r.read(), top: try r.read(), right: try r.read(), bottom: try r.read())
        guard attributes.crop.visible(in: PixelSize(width: Int(width), height: Int(height))) != nil else {
            throw MalformedMessage("a picture's crop leaves no visible pixels")
        }
        self.init(layout: layout, attributes: attributes)
    }
}
