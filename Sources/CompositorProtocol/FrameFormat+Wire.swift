import SharedFrames
import WireFormat

extension FrameFormat {
    /// Appends the format to a message, in the order in which ``init(from:)`` reads it.
    func write(to writer: inout MessageWriter) {
        writer.write(layout.pixelFormat.rawValue)
        writer.write(UInt32(layout.width))
        writer.write(UInt32(layout.height))
        writer.write(UInt8(layout.planes.count))
        for plane in layout.planes {
            writer.write(UInt32(plane.offset))
            writer.write(UInt32(plane.stride))
        }
        writer.write(attributes.sampleAspectNumerator)
        writer.write(attributes.sampleAspectDenominator)
        writer.write(attributes.matrix.rawValue)
        writer.write(attributes.primaries.rawValue)
        writer.write(attributes.transfer.rawValue)
        writer.write(attributes.isFullRange)
        writer.write(attributes.peakLuminance)
        writer.write(attributes.orientation.rawValue)
        for edge in [attributes.crop.left, attributes.crop.top, attributes.crop.right, attributes.crop.bottom] {
            writer.write(edge)
        }
    }

    /// Reads a frame format from a message and validates it.
    ///
    /// - Throws: `MalformedMessage` if the format is invalid.
    init(from reader: inout MessageReader) throws(MalformedMessage) {
        guard let pixelFormat = PixelFormat(rawValue: try reader.read()) else {
            throw MalformedMessage("an unknown pixel format")
        }
        let width = try reader.read(UInt32.self), height = try reader.read(UInt32.self)
        let planeCount = try reader.read(UInt8.self)
        guard planeCount <= 5 else { throw MalformedMessage("too many planes") }
        var planes: [FrameLayout.Plane] = []
        for _ in 0..<planeCount {
            planes.append(
                FrameLayout.Plane(offset: Int(try reader.read(UInt32.self)), stride: Int(try reader.read(UInt32.self))))
        }
        guard let layout = FrameLayout(pixelFormat: pixelFormat, width: Int(width), height: Int(height), planes: planes)
        else {
            throw MalformedMessage("a picture has planes that are out of bounds")
        }
        var attributes = PictureAttributes()
        attributes.sampleAspectNumerator = try reader.read()
        attributes.sampleAspectDenominator = try reader.read()
        attributes.matrix = MatrixCoefficients(rawValue: try reader.read())
        attributes.primaries = ColourPrimaries(rawValue: try reader.read())
        attributes.transfer = TransferCharacteristics(rawValue: try reader.read())
        attributes.isFullRange = try reader.read()
        attributes.peakLuminance = try reader.read()
        guard let orientation = PictureOrientation(rawValue: try reader.read()) else {
            throw MalformedMessage("an unknown orientation")
        }
        attributes.orientation = orientation
        attributes.crop = PictureCrop(
            left: try reader.read(), top: try reader.read(), right: try reader.read(), bottom: try reader.read())
        guard attributes.crop.visibleRect(in: PixelSize(width: Int(width), height: Int(height))) != nil else {
            throw MalformedMessage("a picture's crop leaves no visible pixels")
        }
        self.init(layout: layout, attributes: attributes)
    }
}
