import Glibc
import TransferEngine

exit(EngineProgram.run())
