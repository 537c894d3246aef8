import CFFmpeg
import SharedFrames
import Synchronization
import SystemCalls

/// Lets FFmpeg decode directly into the pool's shared memory, and finds the pool's buffer of a decoded frame.
///
/// FFmpeg calls the allocator from its worker threads.
final class FrameAllocator: Sendable {
    private let pool: FramePool
    /// The buffers that FFmpeg holds, by the address of their memory.
    private let lent = Monitor<[UInt: Unmanaged<FrameBuffer>]>([:])
    /// Whether an allocation failed. Decoders report this as damage, or not at all.
    private let hasRefused = Atomic<Bool>(false)

    /// FFmpeg's alignment, and the number of bytes that its widest loops may read beyond a plane.
    private static let alignment = 64
    private static let slack = FrameLayout.slack
    /// The time in nanoseconds that a decoder waits for a full pool before it drops a picture. It is about one frame
    /// interval, so that a film whose frames are all held elsewhere is not skipped faster than it plays.
    private static let patience: Int64 = 40_000_000

    /// Acquires memory from the pool, and waits briefly if the pool is full.
    static func acquire(_ size: Int, from pool: FramePool) throws(FramePool.Refusal) -> FrameBuffer {
        try pool.acquire(size: size, waitingUntil: MonotonicTime.now + patience)
    }

    init(pool: FramePool) { self.pool = pool }

    /// Installs the allocator in a codec context that is not open yet. The allocator must outlive the context.
    func serve(_ context: UnsafeMutablePointer<AVCodecContext>) {
        context.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
        cffmpeg_declare_thread_safe_callbacks(context)
        context.pointee.get_buffer2 = { context, frame, flags in
            guard let context, let frame, let opaque = context.pointee.opaque else { return cffmpeg_error(EINVAL) }
            let allocator = Unmanaged<FrameAllocator>.fromOpaque(opaque).takeUnretainedValue()
            return allocator.lend(to: context, frame) ?? avcodec_default_get_buffer2(context, frame, flags)
        }
    }

    /// Points `frame` at memory from the pool.
    ///
    /// - Returns: FFmpeg's result code; nil for an unsupported pixel format.
    private func lend(to context: UnsafeMutablePointer<AVCodecContext>, _ frame: UnsafeMutablePointer<AVFrame>)
        -> Int32?
    {
        guard let name = av_get_pix_fmt_name(AVPixelFormat(frame.pointee.format)),
            let format = PixelFormat(name: String(cString: name))
        else { return nil }
        var width = frame.pointee.width, height = frame.pointee.height
        var wanted: (Int32, Int32, Int32, Int32, Int32, Int32, Int32, Int32) = (0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutablePointer(to: &wanted) {
            avcodec_align_dimensions2(
                context, &width, &height, UnsafeMutableRawPointer($0).assumingMemoryBound(to: Int32.self))
        }
        guard
            let plan = MemoryPlan(
                format: format, width: Int(width), height: Int(height), alignment: Self.alignment, slack: Self.slack)
        else { return cffmpeg_error(EINVAL) }
        let buffer: FrameBuffer
        do {
            buffer = try Self.acquire(plan.size, from: pool)
        } catch {
            hasRefused.store(true, ordering: .relaxed)
            return cffmpeg_error(ENOMEM)
        }
        let retained = Unmanaged.passRetained(buffer)
        let key = UInt(bitPattern: buffer.base)
        lent.withLock { $0[key] = retained }
        let tag = Unmanaged.passRetained(Loan(allocator: self, key: key))
        let reference = av_buffer_create(
            buffer.base.assumingMemoryBound(to: UInt8.self), plan.size,
            { opaque, _ in
                guard let opaque else { return }
                Unmanaged<Loan>.fromOpaque(opaque).takeRetainedValue().end()
            },
            // Read-only for FFmpeg after decoding: a decoder that draws its next picture over the last one would change
            // the picture on screen.
            tag.toOpaque(), Int32(AV_BUFFER_FLAG_READONLY))
        guard let reference else {
            tag.takeRetainedValue().end()
            return cffmpeg_error(ENOMEM)
        }
        frame.pointee.buf.0 = reference
        plan.point(frame, at: buffer.base)
        return 0
    }

    /// Returns whether an allocation has failed since the last call.
    func takeRefusal() -> Bool { hasRefused.exchange(false, ordering: .relaxed) }

    /// Returns the pool's buffer of a decoded frame; nil if the decoder used its own memory.
    func buffer(behind frame: UnsafeMutablePointer<AVFrame>) -> FrameBuffer? {
        guard let reference = frame.pointee.buf.0, let data = reference.pointee.data else { return nil }
        return lent.withLock { $0[UInt(bitPattern: data)]?.takeUnretainedValue() }
    }

    /// FFmpeg's reference to one buffer; ends when FFmpeg releases its last reference.
    private final class Loan: Sendable {
        private let allocator: FrameAllocator
        private let key: UInt
        init(allocator: FrameAllocator, key: UInt) {
            self.allocator = allocator
            self.key = key
        }
        func end() {
            let buffer = allocator.lent.withLock { $0.removeValue(forKey: key) }
            buffer?.release()
        }
    }
}

/// The layout of a picture's planes in one block of memory.
struct MemoryPlan {
    private(set) var planes: [FrameLayout.Plane] = []
    private(set) var size = 0

    init?(format: PixelFormat, width: Int, height: Int, alignment: Int, slack: Int) {
        guard (1...FrameLayout.maximumDimension * 2).contains(width),
            (1...FrameLayout.maximumDimension * 2).contains(height)
        else { return nil }
        func aligned(_ n: Int) -> Int { (n + alignment - 1) / alignment * alignment }
        for index in 0..<format.planeCount {
            // A stride that is a multiple of the page size maps every row to the same cache sets.
            var stride = aligned(format.rowBytes(plane: index, width: width))
            if stride % 4096 == 0 { stride += alignment }
            planes.append(FrameLayout.Plane(offset: size, stride: stride))
            size += aligned(stride * format.rows(plane: index, height: height) + slack)
        }
        if format.hasPalette {
            planes.append(FrameLayout.Plane(offset: size, stride: 0))
            size += FrameLayout.paletteBytes
        }
        size += slack
        guard size <= FrameLayout.maximumBytes else { return nil }
    }

    /// Sets a frame's data pointers and line sizes.
    func point(_ frame: UnsafeMutablePointer<AVFrame>, at base: UnsafeMutableRawPointer) {
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
