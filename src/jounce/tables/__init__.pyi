"""The public names of motion tables and logs, and where they live."""

from jounce.errors import TableError as TableError
from jounce.tables.file import MotionFile as MotionFile
from jounce.tables.file import open_motion as open_motion
from jounce.tables.file import read_motion as read_motion
from jounce.tables.file import read_table as read_table
from jounce.tables.file import table_writer as table_writer
from jounce.tables.file import write_table as write_table
from jounce.tables.log import Gap as Gap
from jounce.tables.log import Log as Log
from jounce.tables.log import open_log as open_log
from jounce.tables.table import MotionTable as MotionTable
