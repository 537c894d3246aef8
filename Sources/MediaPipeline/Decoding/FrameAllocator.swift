import CFFmpeg
import SharedFrames
import Synchronization
import SystemCalls

/// Lets FFmpeg decode directly into the shared memory of a frame pool, and finds the pool's buffer of a decoded frame.
///
/// FFmpeg calls the allocator from its worker threads.
final class FrameAllocator: Sendable {
    private let pool: FramePool
    /// The buffers that FFmpeg holds, by the address of their memory.
    private let heldBuffers = Monitor<[UInt: Unmanaged<FrameBuffer>]>([:])
    /// Whether an allocation failed since the last ``takeAllocationFailure()``. FFmpeg's decoders report a failed
    /// allocation as a damaged packet, or not at all.
    private let hasAllocationFailed = Atomic<Bool>(false)

    /// The alignment in bytes of planes and rows that FFmpeg's vector code requires.
    private static let alignment = 64
    /// The number of bytes after the end of a plane that FFmpeg's vector code may read.
    private static let planePadding = FrameLayout.overreadPadding
    /// The time in nanoseconds that a decoder waits for a full pool before it drops a picture. The wait is about one
    /// frame interval: if other users of the pool keep all frames, pictures are not dropped faster than they would be
    /// played.
    private static let poolTimeout: Int64 = 40_000_000

    /// Acquires memory from the pool, and waits briefly if the pool is full.
    static func acquire(_ size: Int, from pool: FramePool) throws(FramePool.Refusal) -> FrameBuffer {
        try pool.acquire(size: size, waitingUntil: MonotonicTime.now + poolTimeout)
    }

    init(pool: FramePool) { self.pool = pool }

    /// Installs the allocator in a codec context before the codec is opened. The allocator must outlive the context.
    func install(_ context: UnsafeMutablePointer<AVCodecContext>) {
        context.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
        cffmpeg_declare_thread_safe_callbacks(context)
        context.pointee.get_buffer2 = { context, frame, flags in
            guard let context, let frame, let opaque = context.pointee.opaque else { return cffmpeg_error(EINVAL) }
            let allocator = Unmanaged<FrameAllocator>.fromOpaque(opaque).takeUnretainedValue()
            return allocator.provideBuffer(to: context, frame) ?? avcodec_default_get_buffer2(context, frame, flags)
        }
    }

    /// Points `frame` at memory from the pool.
    ///
    /// - Returns: FFmpeg's result code; nil for an unsupported pixel format.
    private func provideBuffer(to context: UnsafeMutablePointer<AVCodecContext>, _ frame: UnsafeMutablePointer<AVFrame>)
        -> Int32?
    {
        guard let name = av_get_pix_fmt_name(AVPixelFormat(frame.pointee.format)),
            let format = PixelFormat(name: String(cString: name))
        else { return nil }
        var width = frame.pointee.width, height = frame.pointee.height
        var strideAlignments: (Int32, Int32, Int32, Int32, Int32, Int32, Int32, Int32) = (0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutablePointer(to: &strideAlignments) {
            avcodec_align_dimensions2(
                context, &width, &height, UnsafeMutableRawPointer($0).assumingMemoryBound(to: Int32.self))
        }
        guard
            let memoryLayout = PictureMemoryLayout(
                format: format, width: Int(width), height: Int(height), alignment: Self.alignment,
                padding: Self.planePadding)
        else { return cffmpeg_error(EINVAL) }
        let buffer: FrameBuffer
        do {
            buffer = try Self.acquire(memoryLayout.size, from: pool)
        } catch {
            hasAllocationFailed.store(true, ordering: .relaxed)
            return cffmpeg_error(ENOMEM)
        }
        let retained = Unmanaged.passRetained(buffer)
        let key = UInt(bitPattern: buffer.base)
        heldBuffers.withLock { $0[key] = retained }
        let bufferReference = Unmanaged.passRetained(BufferReference(allocator: self, key: key))
        let avBuffer = av_buffer_create(
            buffer.base.assumingMemoryBound(to: UInt8.self), memoryLayout.size,
            { opaque, _ in
                guard let opaque else { return }
                Unmanaged<BufferReference>.fromOpaque(opaque).takeRetainedValue().returnBuffer()
            },
            // FFmpeg must not write to the buffer after decoding: a decoder that draws its next picture into the same
            // buffer would change the picture on screen.
            bufferReference.toOpaque(), Int32(AV_BUFFER_FLAG_READONLY))
        guard let avBuffer else {
            bufferReference.takeRetainedValue().returnBuffer()
            return cffmpeg_error(ENOMEM)
        }
        frame.pointee.buf.0 = avBuffer
        memoryLayout.setPlanePointers(of: frame, base: buffer.base)
        return 0
    }

    /// Returns whether an allocation has failed since the last call of this method.
    func takeAllocationFailure() -> Bool { hasAllocationFailed.exchange(false, ordering: .relaxed) }

    /// Returns the frame pool's buffer behind a decoded frame; nil if the decoder used memory of its own.
    func buffer(behind frame: UnsafeMutablePointer<AVFrame>) -> FrameBuffer? {
        guard let avBuffer = frame.pointee.buf.0, let data = avBuffer.pointee.data else { return nil }
        return heldBuffers.withLock { $0[UInt(bitPattern: data)]?.takeUnretainedValue() }
    }

    /// A reference that FFmpeg holds to one buffer of the pool. FFmpeg calls ``returnBuffer()`` when it releases its
    /// last reference to the buffer.
    private final class BufferReference: Sendable {
        private let allocator: FrameAllocator
        /// The address of the buffer's memory, its key in ``heldBuffers``.
        private let key: UInt
        init(allocator: FrameAllocator, key: UInt) {
            self.allocator = allocator
            self.key = key
        }
        /// Removes the buffer from the allocator's table and releases it.
        func returnBuffer() {
            let buffer = allocator.heldBuffers.withLock { $0.removeValue(forKey: key) }
            buffer?.release()
        }
    }
}

/// The layout of a picture's planes in one block of memory.
struct PictureMemoryLayout {
    /// The offset and stride of each plane, and of the palette.
    private(set) var planes: [FrameLayout.Plane] = []
    /// The number of bytes to allocate for the picture.
    private(set) var size = 0

    /// Computes the layout of a picture; nil if the picture is too large.
    init?(format: PixelFormat, width: Int, height: Int, alignment: Int, padding: Int) {
        guard (1...FrameLayout.maximumDimension * 2).contains(width),
            (1...FrameLayout.maximumDimension * 2).contains(height)
        else { return nil }
        func aligned(_ byteCount: Int) -> Int { (byteCount + alignment - 1) / alignment * alignment }
        for index in 0..<format.planeCount {
            // Avoid a stride that is a multiple of the page size: it maps every row to the same cache sets.
            var stride = aligned(format.rowBytes(plane: index, width: width))
            if stride % 4096 == 0 { stride += alignment }
            planes.append(FrameLayout.Plane(offset: size, stride: stride))
            size += aligned(stride * format.rows(plane: index, height: height) + padding)
        }
        if format.hasPalette {
            planes.append(FrameLayout.Plane(offset: size, stride: 0))
            size += FrameLayout.paletteBytes
        }
        size += padding
        guard size <= FrameLayout.maximumBytes else { return nil }
    }

    /// Sets the data pointers and line sizes of a frame whose memory starts at `base`.
    func setPlanePointers(of frame: UnsafeMutablePointer<AVFrame>, base: UnsafeMutableRawPointer) {
        let bytes = base.assumingMemoryBound(to: UInt8.self)
        for (index, plane) in planes.enumerated() {
            let start = bytes + plane.offset, stride = Int32(plane.stride)
            switch index {
            case 0: (frame.pointee.data.0, frame.pointee.linesize.0) = (start, stride)
            case 1: (frame.pointee.data.1, frame.pointee.linesize.1) = (start, stride)
            case 2: (frame.pointee.data.2, frame.pointee.linesize.2) = (start, stride)
            default: (frame.pointee.data.3, frame.pointee.linesize.3) = (start, stride)
            }
        }
        // `extended_data` points into the frame itself, whose address is stable.
        let data = UnsafeMutableRawPointer(frame) + (MemoryLayout<AVFrame>.offset(of: \.data) ?? 0)
        frame.pointee.extended_data = data.assumingMemoryBound(to: UnsafeMutablePointer<UInt8>?.self)
    }
}
